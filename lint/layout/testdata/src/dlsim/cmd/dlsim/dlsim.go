package dlsim
