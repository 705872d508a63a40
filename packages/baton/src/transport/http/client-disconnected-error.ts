/** Thrown while reading the body of a request whose client has disconnected. */
export class ClientDisconnectedError extends Error {
  override name = 'ClientDisconnectedError'

  constructor(options?: ErrorOptions) {
    super('the client disconnected', options)
  }
}
