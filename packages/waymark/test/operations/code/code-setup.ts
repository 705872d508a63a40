import type * as z from 'zod'
import type { Context } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import { annotateCode } from '../../../src/annotation/write/annotate.ts'
import { readCode } from '../../../src/annotation/read/read.ts'
import { type TestRepository, useRepository } from '../../git/repository.ts'
import { type Setup, setup } from '../../setup.ts'

export interface CodeSetup
  extends Setup, Omit<TestRepository, keyof AsyncDisposable | 'directory'> {
  annotate(
    input: z.input<typeof annotateCode.input>,
    as?: Context,
  ): Promise<z.output<typeof annotateCode.output>>
  read(
    input: z.input<typeof readCode.input>,
    as?: Context,
  ): Promise<z.output<typeof readCode.output>>
}

/** A project with a repository to commit to. */
export async function setupCode(): Promise<CodeSetup> {
  const project = await setup()
  const repository = useRepository(project.directory)
  return {
    ...project,
    ...repository,
    annotate: (input, as = project.context) => execute(as, annotateCode, input),
    read: (input, as = project.context) => execute(as, readCode, input),
    [Symbol.asyncDispose]: async () => {
      await repository[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

/** A class with two methods, and a function behind it. */
export const CLIENT = `import { dial } from './net'

export class Client {
  constructor(private readonly url: string) {}

  async connect(retries: number): Promise<void> {
    await dial(this.url, retries)
  }

  close(): void {
    this.url.trim()
  }
}

export function parse(text: string): number {
  return Number(text)
}
`
