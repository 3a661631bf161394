/** One word for a shell, whatever it holds. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
