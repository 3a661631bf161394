/** One word for bash, whatever it holds. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
