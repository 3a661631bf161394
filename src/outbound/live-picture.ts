/** Folds the events of an engine into the state that a run's live message shows. Pure: no time, no platform. */
import type { Card } from '../protocol/card.ts'
import type { AgentEvent } from '../protocol/engine.ts'
import type { LiveState, LiveStep, RunPhase } from '../protocol/outbound.ts'
import type { Translate } from '../protocol/ports.ts'

/** The displayed state of a run. */
export interface LivePicture {
  /** Folds one event into the state. */
  apply(event: AgentEvent): void
  /** The whole state as it is now. */
  state(): LiveState
  /** True when there is more to show than "thinking". */
  hasContent(): boolean
}

/** What the state begins with. */
export interface PictureDeps {
  readonly text: Translate
  readonly footer: string | undefined
  readonly head: Card | undefined
  /** Steps that earlier parts of the run already showed. */
  readonly steps: readonly LiveStep[]
}

/** A state that shows "thinking" and the earlier steps. */
export function createLivePicture(deps: PictureDeps): LivePicture {
  const steps = createSteps(deps.steps)
  let phase: RunPhase = 'thinking'
  let label = deps.text('live.phase.thinking')
  let text = ''
  let todos: LiveState['todos'] = []

  const setPhase = (next: RunPhase, words = deps.text(`live.phase.${next}`)): void => {
    phase = next
    label = words
  }

  const apply = (event: AgentEvent): void => {
    switch (event.type) {
      case 'turn':
        setPhase('thinking')
        text = ''
        return
      case 'text':
        setPhase('working', deps.text('live.phase.writing'))
        text += event.delta
        return
      case 'tool_started':
        setPhase('working')
        steps.add({ callId: event.callId, tool: event.tool, title: event.title, status: 'running' })
        return
      case 'tool_ended':
        steps.change(event.callId, { status: event.status, ms: event.ms })
        return
      case 'todos':
        todos = event.todos
        return
      case 'status':
        setPhase(phase, event.text)
        return
      case 'suspended':
        steps.add({ callId: event.callId, tool: event.tool, title: event.title, status: 'waiting' })
        setPhase('waiting')
        return
      case 'ended':
        setPhase(event.outcome)
        text = event.text
        return
      case 'usage':
        return
      default:
        event satisfies never
    }
  }
  return {
    apply,
    hasContent: () =>
      text !== '' || steps.all().length > deps.steps.length || todos.length > 0 || deps.head !== undefined,
    state: () => ({
      phase,
      label,
      text,
      steps: steps.all(),
      todos,
      ...(deps.footer ? { footer: deps.footer } : {}),
      ...(deps.head ? { head: deps.head } : {}),
    }),
  }
}

/** Steps in the order in which their calls began; a call that is told of again keeps its place. */
interface Steps {
  add(step: LiveStep): void
  /** Does nothing for a call that was never shown. */
  change(callId: string, change: Partial<LiveStep>): void
  all(): LiveStep[]
}

function createSteps(earlier: readonly LiveStep[]): Steps {
  const steps = [...earlier]
  const change: Steps['change'] = (callId, changed) => {
    const index = steps.findIndex((step) => step.callId === callId)
    const known = steps[index]
    if (known) steps[index] = { ...known, ...changed }
  }
  return {
    change,
    add: (step) => {
      if (steps.some((known) => known.callId === step.callId)) change(step.callId, step)
      else steps.push(step)
    },
    all: () => [...steps],
  }
}
