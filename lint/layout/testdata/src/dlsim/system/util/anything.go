package util // want `package system/util says nothing: name the package for what it provides`
