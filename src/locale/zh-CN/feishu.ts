export const feishu: Readonly<Record<string, string>> = {}
