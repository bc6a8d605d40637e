package reports // want `package naming/common says nothing`
