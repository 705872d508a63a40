/** A promise with the functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: Error): void
}

/** Makes a promise that somebody else settles. */
export function createDeferred<T>(): Deferred<T> {
  let settle: Pick<Deferred<T>, 'resolve' | 'reject'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return {
    promise,
    resolve: (value) => settle?.resolve(value),
    reject: (error) => settle?.reject(error),
  }
}
