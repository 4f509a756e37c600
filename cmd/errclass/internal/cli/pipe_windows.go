package cli

const windowsPipes = true
