/** Thrown to whoever waits for the rest of a request whose client has hung up. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError'

  constructor(options?: ErrorOptions) {
    super('the client has gone', options)
  }
}
