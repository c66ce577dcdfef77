// Package storetest is what every [memory.Store] must pass. A store's own tests run it on empty stores of theirs:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) memory.Store {
//			store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"))
//			if err != nil {
//				t.Fatal(err)
//			}
//			return store // Run closes it
//		})
//	}
package storetest
