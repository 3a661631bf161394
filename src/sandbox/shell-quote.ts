/** One word for a shell, whatever it holds. */
export const shellQuote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
