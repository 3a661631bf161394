export const approval: Readonly<Record<string, string>> = {}
