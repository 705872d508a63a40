type Makers<T extends object> = { readonly [K in keyof T]: () => T[K] }

/** An object with lazy properties, computed at the first read. Spreading it computes all of them. */
export function lazily<T extends object>(makers: Makers<T>): T {
  return define({} as T, makers)
}

/** Adds or overrides lazy properties. Those of the base stay lazy. */
export function extendLazily<B extends object, T extends object>(
  base: B,
  makers: Makers<T>,
): Omit<B, keyof T> & T {
  return define(Object.create(base) as Omit<B, keyof T> & T, makers)
}

function define<T extends object, M extends object>(target: T, makers: Makers<M>): T {
  for (const name of Object.keys(makers) as (keyof M)[]) {
    Object.defineProperty(target, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = makers[name]()
        Object.defineProperty(target, name, { value, enumerable: true })
        return value
      },
    })
  }
  return target
}
