import type { AdmittedRequest, HttpAnswer } from '@waymark/baton/http'
import * as z from 'zod'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { parseExact, violation } from '../../core/input/parse.ts'
import { whoAmI } from '../../project/me.ts'
import { readJsonBody } from '../http/json-body.ts'
import { toFailureAnswer, toJsonAnswer } from '../http/answer/json-answer.ts'
import { createRequestContext, type RouteCall } from '../http/request-context.ts'
import type { PresenceHub } from './presence.ts'
import { PagePrincipal } from './page-principal.ts'
import { LINK_MS, type PageSession, type PageSessions } from './page-sessions.ts'

const SMALL_BODY = 4096

/** A route of the page's own. */
export type PageRoute = 'session' | 'link' | 'presence'

const METHODS: Readonly<Record<PageRoute, readonly string[]>> = {
  session: ['POST', 'DELETE'],
  link: ['POST'],
  presence: ['POST'],
}

interface Pages {
  readonly pages: PageSessions
  readonly presence: PresenceHub
}

/** Answers a route of the page; all of them speak JSON. */
export async function answerRoute(
  call: RouteCall,
  route: PageRoute,
  { pages: sessions, presence }: Pages,
): Promise<HttpAnswer> {
  const { method } = call.request
  if (!METHODS[route].includes(method)) return wrongMethod(METHODS[route])
  if (route === 'link') return await createLink(call, sessions)
  if (route === 'presence') return await tellPresence(call, presence)
  return method === 'POST' ? await beginSession(call, sessions) : endSession(call, sessions)
}

function wrongMethod(allowed: readonly string[]): HttpAnswer {
  const allow = allowed.join(', ')
  const failure = new Failure('invalid_input', `this takes ${allow}`)
  return toFailureAnswer(failure, { status: 405, headers: { allow } })
}

const redeeming = z.object({
  code: z.string().max(100).describe('The one-time code of the address that `waymark ui` opened'),
})

/** `POST /ui/session`: a one-time code for a token. It needs no credentials but the code. */
async function beginSession(
  call: RouteCall,
  sessions: Pick<PageSessions, 'redeem'>,
): Promise<HttpAnswer> {
  const { code } = parseExact(redeeming, await readJsonBody(call.request, SMALL_BODY))
  const redeemed = sessions.redeem(code)
  if (redeemed === undefined) {
    throw new Failure(
      'unauthenticated',
      'this link was used before or is too old; run `waymark ui` for a new one',
      { details: { reason: 'code_not_valid' } },
    )
  }
  const { token, session } = redeemed
  const principal = new PagePrincipal(session)
  const context = await createRequestContext(await call.project.open(), { ...call, principal })
  return toJsonAnswer(200, {
    token,
    expires_at: toTime(session),
    me: await execute(context, whoAmI, {}),
  })
}

/** `DELETE /ui/session`: ends the session of the token, or with `?everywhere=true` all sessions and open links. */
function endSession(
  { request, principal }: AdmittedRequest,
  sessions: Pick<PageSessions, 'end' | 'endAll'>,
): HttpAnswer {
  const page = requirePage(principal)
  const everywhere = request.query.get('everywhere') ?? 'false'
  if (everywhere !== 'true' && everywhere !== 'false')
    throw violation('everywhere', 'wrong_type', 'must be true or false')
  if (everywhere === 'false') sessions.end(page)
  else if (page.isReadOnly) throw new Failure('forbidden', 'a read-only session ends itself alone')
  else sessions.endAll()
  return { status: 204 }
}

const linking = z.object({
  read_only: z.literal(true).default(true).describe('A page can pass on the right to read alone'),
})

/** `POST /ui/link`: a code for a read-only link. Codes for sessions that may write come from `waymark ui` alone. */
async function createLink(
  { request, principal }: AdmittedRequest,
  sessions: Pick<PageSessions, 'createCode'>,
): Promise<HttpAnswer> {
  requirePage(principal)
  parseExact(linking, await readJsonBody(request, SMALL_BODY))
  const code = sessions.createCode({ isReadOnly: true, lifetimeMs: LINK_MS })
  return toJsonAnswer(200, { code, seconds: LINK_MS / 1000 })
}

const looking = z.object({
  subject: z.string().trim().min(1).max(200).describe('Number or id of what is looked at'),
  editing: z.string().trim().max(100).optional().describe('The field that is edited'),
})

/** `POST /ui/presence`: tells the other pages what this one looks at or edits. */
async function tellPresence(call: RouteCall, presence: PresenceHub): Promise<HttpAnswer> {
  requirePage(call.principal)
  const { subject, editing } = parseExact(looking, await readJsonBody(call.request, SMALL_BODY))
  const who = (await (await call.project.open()).userName()) ?? 'owner'
  presence.tell({ subject, who, editing })
  return { status: 204 }
}

/** Agents that know the secret of the server cannot make themselves the person by way of a code. */
function requirePage(principal: AdmittedRequest['principal']): PagePrincipal {
  if (principal instanceof PagePrincipal) return principal
  throw new Failure('forbidden', 'only the person in the page can do this; run `waymark ui`', {
    details: { reason: 'not_the_person' },
  })
}

function toTime({ expiresAt }: PageSession): string {
  return new Date(expiresAt).toISOString()
}
