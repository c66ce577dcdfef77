// Package access says who may do what in which workspace: the catalogue of permissions, the built-in roles, selectors,
// principals, and the form of API keys. It holds no state and reads no store.
//
//	selector, err := access.ParseSelector("team.*")
//	if err != nil {
//		return err
//	}
//	p := access.Principal{
//		Kind:        access.KindKey,
//		Permissions: access.RoleReader.Permissions(),
//		Selectors:   []access.Selector{selector},
//	}
//	p.Allows(access.MemoryRecall, "team.app")   // true
//	p.Allows(access.MemoryRecall, "team")       // false: below the prefix, not the prefix itself
//	p.Allows(access.MemoryRemember, "team.app") // false: a reader doesn't remember
//
//	key, err := access.GenerateKey()
//	if err != nil {
//		return err
//	}
//	show(key)              // once
//	store(access.Hash(key)) // for ever
package access
