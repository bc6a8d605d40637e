package naming // want `file name helpers_test.go says nothing`
