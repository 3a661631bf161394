export const tools: Readonly<Record<string, string>> = {}
