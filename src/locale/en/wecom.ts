export const wecom: Readonly<Record<string, string>> = {}
