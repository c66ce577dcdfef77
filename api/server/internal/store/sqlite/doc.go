// Package sqlite is the [memory.Store] in one SQLite file. Several processes may use the file at once: writes take their
// turn, reads never wait for them, and what was accepted is on disk.
//
//	store, err := sqlite.Open(ctx, filepath.Join(dataDir, "memory.db"))
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	workspace, err := store.CreateWorkspace(ctx, "demo", "", time.Now())
package sqlite
