export const engine: Readonly<Record<string, string>> = {}
