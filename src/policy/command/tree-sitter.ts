/** First opinion on a command: the tree-sitter grammar of bash, compiled to WebAssembly. */
import { createRequire } from 'node:module'
import { Language, type Node, Parser } from 'web-tree-sitter'
import { readBare, readDoubleQuoted } from './bare-word.ts'

/** Words of the command when it is one program with literal words only; undefined otherwise. */
export type ReadSimple = (command: string) => readonly string[] | undefined

/** Loads the grammar (about 50 ms); rejects when the package's file is missing. */
export async function loadTreeSitter(): Promise<ReadSimple> {
  await Parser.init()
  const path = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm')
  const parser = new Parser()
  parser.setLanguage(await Language.load(path))
  return (command) => {
    const tree = parser.parse(command)
    if (!tree) return undefined
    try {
      return readProgram(tree.rootNode, command)
    } finally {
      tree.delete()
    }
  }
}

function readProgram(root: Node, source: string): string[] | undefined {
  const [statement] = root.children
  if (root.hasError || root.children.length !== 1 || statement?.type !== 'command') return undefined
  const argv: string[] = []
  let end = 0
  for (const child of statement.children) {
    // Between two words only blanks may stand: whatever the grammar skipped is not understood.
    if (!/^[ \t]*$/.test(source.slice(end, child.startIndex))) return undefined
    const word = readWord(child.type === 'command_name' ? (child.firstChild ?? child) : child)
    if (word === undefined) return undefined
    argv.push(word)
    end = child.endIndex
  }
  return /^[ \t]*$/.test(source.slice(end)) ? argv : undefined
}

function readWord(node: Node): string | undefined {
  switch (node.type) {
    case 'word':
    case 'number':
      return readBare(node.text)
    case 'raw_string':
      return node.text.slice(1, -1)
    case 'string':
      return node.namedChildren.every((child) => child.type === 'string_content')
        ? readDoubleQuoted(node.text.slice(1, -1))
        : undefined
    case 'concatenation':
      return joinWords(node.children.map(readWord))
    default:
      return undefined
  }
}

function joinWords(parts: readonly (string | undefined)[]): string | undefined {
  return parts.every((part) => part !== undefined) ? parts.join('') : undefined
}
