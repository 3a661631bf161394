export const gateway: Readonly<Record<string, string>> = {}
