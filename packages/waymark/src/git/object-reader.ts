import { Failure } from '../error.ts'
import { type BatchPlace, BatchProcess } from './batch-process.ts'

export interface ObjectInfo {
  readonly id: string
  readonly type: string
  /** In bytes. */
  readonly size: number
}

export interface GitObject extends ObjectInfo {
  readonly content: Buffer
}

/**
 * Reads objects through git processes that stay: an answer takes a tenth of a millisecond instead of the three that
 * starting git takes. Each question is asked anew, so moved refs, new objects and repacking are seen at once.
 */
export class ObjectReader implements AsyncDisposable {
  readonly #infos: BatchProcess
  readonly #contents: BatchProcess

  constructor(place: BatchPlace) {
    // Two processes rather than --batch-command, which git has only since 2.36.
    this.#infos = new BatchProcess(place, 'infos')
    this.#contents = new BatchProcess(place, 'contents')
  }

  /** What `name` (an id, a ref, `HEAD:path`) stands for, or undefined if there is no such object. */
  async info(name: string): Promise<ObjectInfo | undefined> {
    return await this.#infos.ask(checked(name))
  }

  infos(names: readonly string[]): Promise<readonly (ObjectInfo | undefined)[]> {
    return Promise.all(names.map((name) => this.info(name)))
  }

  async read(name: string): Promise<GitObject | undefined> {
    const answer = await this.#contents.ask(checked(name))
    return answer === undefined
      ? undefined
      : { ...answer, content: answer.content ?? Buffer.alloc(0) }
  }

  /** Objects larger than `limit` bytes are not read at all: what is in a repository may be of any size. */
  async readUpTo(limit: number, name: string): Promise<GitObject | 'too_large' | undefined> {
    const info = await this.info(name)
    if (info === undefined) return undefined
    return info.size > limit ? 'too_large' : await this.read(info.id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#infos.close(), this.#contents.close()])
  }
}

/** Questions are separated by line ends, so a name with one in it would be two questions. */
function checked(name: string): string {
  if (!/[\n\r\0]/.test(name)) return name
  throw new Failure('invalid_input', 'a path or revision cannot contain a line break', {
    details: { rule: 'bad_format' },
  })
}
