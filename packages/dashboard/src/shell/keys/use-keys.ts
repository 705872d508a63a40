import { useLayoutEffect, useRef } from 'preact/hooks'
import { addKeys, type KeyAction } from './keys.ts'

/** Keys that work while a component is shown. Their actions may change with each rendering. */
export function useKeys(actions: readonly KeyAction[]): void {
  const latest = useRef(actions)
  latest.current = actions
  const names = actions.map(({ keys }) => keys).join('\n')
  // Before the first paint: a key that is pressed on what is seen must not be lost.
  useLayoutEffect(
    () =>
      addKeys(
        latest.current.map((action, index) => ({
          ...action,
          run: (event) => latest.current[index]?.run(event),
        })),
      ),
    [names],
  )
}
