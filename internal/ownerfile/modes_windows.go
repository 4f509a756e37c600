package ownerfile

// modes is false: os.Chmod on Windows changes nothing but the read-only mark.
const modes = false
