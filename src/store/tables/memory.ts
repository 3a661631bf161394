/** What is remembered, and teams of helpers. */
import type { Generated } from 'kysely'

/** A remembered value. A scope is a session, or a person within a session; nothing is found outside its own. */
export interface MemoryFactsTable {
  id: string
  scope: string
  key: string
  value: string
  author: string
  /** 1 when the conversation held other people's words as it was written. */
  tainted: number
  /** Float32 numbers, little endian, of `vector_model`. */
  vector: Uint8Array | null
  vector_model: string | null
  created_at: number
  updated_at: number
}

/** Words of a fact's key and value: the full text search of every database. */
export interface MemoryTokensTable {
  scope: string
  token: string
  fact_id: string
  count: number
}

export interface MemoryBlocksTable {
  scope: string
  name: string
  content: string
  author: string
  tainted: number
  updated_at: number
}

/** Helpers that a conversation asks together. Only their own session sees them. */
export interface TeamsTable {
  id: string
  session_id: string
  /** JSON list of { name, role }. */
  members: string
  created_at: number
}

/** One exchange with a member. */
export interface TeamTurnsTable {
  id: Generated<number>
  team_id: string
  member: string
  prompt: string
  answer: string
  tainted: number
  created_at: number
}
