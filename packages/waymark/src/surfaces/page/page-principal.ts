import type { VerifiedPrincipal } from '@waymark/baton/http'

/** The owner of the project in a browser: a principal that only a session of the page yields, never a token's claims. */
export class PagePrincipal implements VerifiedPrincipal {
  readonly id: string
  readonly expiresAt: number
  readonly isReadOnly: boolean

  constructor({ id, expiresAt, isReadOnly }: Omit<VerifiedPrincipal, 'scopes'> & PageAccess) {
    this.id = id
    this.expiresAt = expiresAt
    this.isReadOnly = isReadOnly
  }
}

interface PageAccess {
  readonly expiresAt: number
  readonly isReadOnly: boolean
}
