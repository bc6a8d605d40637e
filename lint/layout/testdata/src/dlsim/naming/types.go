package naming // want `file name types.go says nothing: name the file for the idea in it`
