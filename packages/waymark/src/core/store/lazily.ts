type Makers<S, T extends object> = { readonly [K in keyof T]: (source: S) => T[K] }

const SOURCE = Symbol('source')
const MADE = Symbol('made')

/**
 * Creates objects with lazy properties, each made from the object's source at the first read. The accessors are on one
 * prototype, because such objects are made for every transaction and few of their properties are read.
 */
export function lazyFactory<S, T extends object>(makers: Makers<S, T>): (source: S) => T {
  class Lazy {
    readonly [SOURCE]: S
    readonly [MADE]: Partial<T> = {}
    constructor(source: S) {
      this[SOURCE] = source
    }
  }
  for (const name of Object.keys(makers) as (keyof T)[]) {
    Object.defineProperty(Lazy.prototype, name, {
      get(this: Lazy) {
        return (this[MADE][name] ??= makers[name](this[SOURCE]))
      },
    })
  }
  return (source) => new Lazy(source) as T
}

/**
 * The same object with some methods replaced. The others are inherited and not copied: `base` has dozens of them and is
 * the same for many transactions.
 */
export function override<T extends object>(base: T, methods: Partial<T>): T {
  return Object.assign(Object.create(base) as T, methods)
}

/** Makers of the properties that are read from another object. */
export function forward<S, B extends object, K extends keyof B>(
  names: readonly K[],
  toBase: (source: S) => B,
): Makers<S, Pick<B, K>> {
  const makers = names.map((name) => [name, (source: S) => toBase(source)[name]] as const)
  return Object.fromEntries(makers) as Makers<S, Pick<B, K>>
}
