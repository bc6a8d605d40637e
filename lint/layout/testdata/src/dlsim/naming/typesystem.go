package naming
