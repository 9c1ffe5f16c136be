// Context for server-rendered components. It replaces createContext of hono/jsx, whose module also contains the client
// renderer and would add 6 KB to the compressed Worker.
import { raw } from "hono/html"
import type { Child, PropsWithChildren } from "hono/jsx"

/** A value that a component provides to all components inside it. */
export interface Context<Value> {
  Provider(props: PropsWithChildren<{ value: Value }>): ReturnType<typeof raw>
  /** Returns the value of the innermost provider, or the default. */
  use(): Value
}

/**
 * Creates a context. Rendering is synchronous: components inside a provider must not be async.
 * @param initial the value outside of any provider
 */
export function createContext<Value>(initial: Value): Context<Value> {
  const values = [initial]
  return {
    Provider({ value, children }) {
      values.push(value)
      try {
        return raw((<>{children}</>).toString())
      } finally {
        values.pop()
      }
    },
    use: () => values[values.length - 1] as Value,
  }
}

/** Renders children immediately, for a component that depends on what they contain. */
export const renderNow = (children: Child): ReturnType<typeof raw> => raw((<>{children}</>).toString())

/** The props of a component. */
export type ComponentProps<Component> = Component extends (props: infer Props) => unknown ? Props : never
