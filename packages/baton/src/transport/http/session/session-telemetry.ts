import { Telemetry } from '../../../telemetry/telemetry.ts'
import type { SessionEvent } from './live-sessions.ts'

/** Records session events as spans and session lifetimes as a metric. */
export class SessionTelemetry {
  readonly #telemetry = new Telemetry()
  #reported: Promise<void> = Promise.resolve()

  /** Sequential, because the first report waits until telemetry is loaded and must not be overtaken. */
  report(event: SessionEvent): Promise<void> {
    if (!this.#telemetry.isActive) return Promise.resolve()
    const report = (): Promise<void> => this.#send(event)
    this.#reported = this.#reported.then(report, report)
    return this.#reported
  }

  async #send({ kind, sessionId, ageMs }: SessionEvent): Promise<void> {
    const id = { 'mcp.session.id': sessionId, 'mcp.session_id': sessionId }
    await this.#telemetry.sessionEvent(`mcp.session.${kind}`, { ...id, ...toAge(kind, ageMs) })
    if (hasEnded(kind)) await this.#telemetry.sessionEnded(ageMs, { 'network.transport': 'tcp' })
  }
}

function toAge(kind: SessionEvent['kind'], ageMs: number): Record<string, number> {
  if (hasEnded(kind)) return { 'mcp.session.lifetime_ms': ageMs }
  return kind === 'resumed' ? { 'mcp.session.age_ms': ageMs } : {}
}

function hasEnded(kind: SessionEvent['kind']): boolean {
  return kind !== 'created' && kind !== 'resumed'
}
