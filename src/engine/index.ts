/**
 * The engines: one folder each, this list. An engine turns a session with waiting work into events.
 * This room knows models, tools and the session log. It refuses to know platforms, people's rights
 * (the gate judges) and where its events go.
 */
export { createDirectEngine } from './direct/index.ts'
export { buildSystemPrompt, type PromptFacts } from './direct/prompt.ts'
