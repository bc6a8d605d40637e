package lock

// PostgresStatements are the statements of the PostgreSQL backend by name, for those who test a
// database against them.
func PostgresStatements() map[string]string {
	return map[string]string{"Acquire": sqlAcquire, "Renew": sqlRenew, "Release": sqlRelease, "Holder": sqlHolder}
}
