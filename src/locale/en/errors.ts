export const errors: Readonly<Record<string, string>> = {}
