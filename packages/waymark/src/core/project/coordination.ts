/** Who grants claims: this clone alone, the Git remote for all clones, or the remote once the project is synced. */
export const COORDINATIONS = ['auto', 'git', 'local'] as const
export type Coordination = (typeof COORDINATIONS)[number]
