package api

// maxWorkspaceName is the length of the longest name of a workspace, in bytes.
const maxWorkspaceName = 128

// ValidWorkspaceName reports whether name can be a workspace's: ^[a-z0-9]([a-z0-9._-]{0,126}[a-z0-9])?$.
func ValidWorkspaceName(name string) bool {
	if name == "" || len(name) > maxWorkspaceName {
		return false
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		case c == '.' || c == '_' || c == '-':
			if i == 0 || i == len(name)-1 {
				return false
			}
		default:
			return false
		}
	}
	return true
}
