/** Hands the store and the words to every view. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Store } from './store.ts'
import type { Texts } from './text.ts'

export const StoreContext = createContext<Store | undefined>(undefined)

export function useStore(): Store {
  const store = useContext(StoreContext)
  if (!store) throw new Error('a view was rendered outside of the page')
  return store
}

export function useText(): Texts['t'] {
  return useStore().texts.t
}
