import type { Attributes } from '@opentelemetry/api'
import type { Call } from '../server/call/call.ts'
import type { Instruments } from './instruments.ts'

// Where `@opentelemetry/api` 1.x keeps what an SDK registers; without one the property is not there.
const REGISTRY = Symbol.for('opentelemetry.js.api.1')

/**
 * Spans and metrics, if the process has an OpenTelemetry SDK. The API is not even loaded before
 * somebody registers one, so that a server without telemetry pays one property lookup for each call.
 */
export class Telemetry {
  #instruments: Instruments | undefined

  /** True if there is somebody to tell. */
  get isActive(): boolean {
    return REGISTRY in globalThis
  }

  /** Runs a request inside a span of its own and measures it. */
  async observe(call: Call, run: () => Promise<object>): Promise<object> {
    const instruments = this.#instruments ?? (await this.#load())
    return await instruments.observe(call, run)
  }

  /** Marks a step in the life of a session, such as `mcp.session.created`. */
  async sessionEvent(name: string, attributes: Attributes): Promise<void> {
    if (!this.isActive) return
    const instruments = this.#instruments ?? (await this.#load())
    instruments.sessionEvent(name, attributes)
  }

  /** Measures how long a session lived. */
  async sessionEnded(milliseconds: number, attributes: Attributes): Promise<void> {
    if (!this.isActive) return
    const instruments = this.#instruments ?? (await this.#load())
    instruments.sessionEnded(milliseconds, attributes)
  }

  async #load(): Promise<Instruments> {
    // Both by `import()`: a bundler would lift a plain import of a package to the start of the program.
    const [otel, { Instruments }] = await Promise.all([
      import('@opentelemetry/api'),
      import('./instruments.ts'),
    ])
    this.#instruments = new Instruments(otel)
    return this.#instruments
  }
}
