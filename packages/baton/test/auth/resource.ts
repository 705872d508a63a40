import type { Authentication, Authenticator } from '../../src/auth/authenticator.ts'
import { type ResourceServerOptions, createResourceServer } from '../../src/auth/resource-server.ts'
import { type Issuer, RESOURCE } from './issuer.ts'

/** A resource server for the test issuer. */
export function createResource(
  issuer: Issuer,
  options: Partial<ResourceServerOptions> = {},
): Authenticator {
  return createResourceServer({
    resource: RESOURCE,
    issuer: issuer.url,
    scopes: { base: ['mem:read'] },
    ...options,
  })
}

export function present(resource: Authenticator, token: string): Promise<Authentication> {
  return resource.authenticate({
    authorization: `Bearer ${token}`,
    query: new URLSearchParams(),
  })
}

/** The status that a token gets: 200 when it is accepted. */
export async function statusOf(resource: Authenticator, token: string): Promise<number> {
  const outcome = await present(resource, token)
  return outcome.accepted ? 200 : outcome.denial.status
}
