import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repairAnnotations } from '../../../src/annotation/rewrite/repair.ts'
import { execute } from '../../../src/core/execute.ts'
import { type CodeSetup, setupCode } from './code-setup.ts'
import { hooked } from './hooked-setup.ts'

const NAMES = ['one', 'two', 'three', 'four', 'five', 'six'] as const
const FILE = 'src/all.ts'
const GAP = '\n// unchanged\n'.repeat(6)

/** Everything in one file, so that the commits change what lies around each other's code. */
const fileWith = (bodies: Readonly<Record<string, string>>) =>
  NAMES.map(
    (name) =>
      `export function ${name}(): number {\n  const ${name} = start()\n  ${bodies[name] ?? '// to be written'}\n  return ${name}\n}\n`,
  ).join(GAP)

interface Story extends CodeSetup {
  /** Git as a person runs it, answering the questions of an interactive rebase. */
  person(args: readonly string[], answers?: Answers): void
}

interface Answers {
  /** The whole list of what an interactive rebase does; `pick n` stands for the n-th commit. */
  readonly todo?: readonly string[]
  /** A line for the end of each message that is opened in the editor. */
  readonly message?: string
}

/** Six commits on a branch, each with a reason for the function that it wrote. */
async function sixCommits(withHooks: boolean): Promise<Story> {
  const test = withHooks ? await hooked() : await setupCode()
  const person: Story['person'] = (args, { todo, message } = {}) => {
    const env = {
      ...process.env,
      PATH: `${join(test.directory, '.git', 'bin')}:${process.env['PATH']}`,
      GIT_EDITOR: message === undefined ? 'true' : `echo '${message}' >>`,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Author',
      GIT_AUTHOR_EMAIL: 'author@example.com',
      GIT_COMMITTER_NAME: 'Author',
      GIT_COMMITTER_EMAIL: 'author@example.com',
      FILTER_BRANCH_SQUELCH_WARNING: '1',
      ...(todo !== undefined && { GIT_SEQUENCE_EDITOR: writeTodo(test, todo) }),
    }
    execFileSync('git', ['-C', test.directory, ...args], { env, stdio: 'pipe' })
  }
  test.commit('base', { [FILE]: fileWith({}), 'x.txt': 'x\n' })
  test.git('checkout', '--quiet', '-b', 'feature')
  const bodies: Record<string, string> = {}
  for (const name of NAMES) {
    bodies[name] = `log('${name} is ready', ${name})`
    test.commit(`Write ${name}`, { [FILE]: fileWith(bodies), [`docs/${name}.md`]: `${name}\n` })
    await test.annotate({
      summary: `The reason for ${name} as it is`,
      regions: [{ file: FILE, anchor: name, intent: `why ${name}` }],
    })
  }
  return { ...test, person }
}

/** A command that replaces the list of a rebase. */
function writeTodo(test: CodeSetup, todo: readonly string[]): string {
  const commits = test.git('rev-list', '--reverse', 'main..feature').trim().split('\n')
  const lines = todo.map((line) => line.replace(/\d+$/u, (at) => commits[Number(at) - 1] ?? at))
  const file = join(test.directory, '.git', 'todo')
  writeFileSync(file, `${lines.join('\n')}\n`)
  return `cp '${file}'`
}

const ALL = NAMES.map((_, at) => at + 1)
const rebase = ['rebase', '--quiet', '--interactive', 'main']
const isElsewhere = (test: Story) => {
  test.git('checkout', '--quiet', 'main')
  test.commit('elsewhere', { 'y.txt': 'y\n' })
}
const forget = (test: Story) => {
  test.git('reflog', 'expire', '--expire=now', '--all')
  test.git('gc', '--quiet', '--prune=now')
}

interface Rewrite {
  readonly rewrite: (test: Story) => void
  /** The functions whose reasons are told afterwards; all of them unless said. */
  readonly told?: readonly string[]
  /** What is lost without hooks until `code repair` has run. */
  readonly lostBefore?: readonly string[]
}

const REWRITES: Readonly<Record<string, Rewrite>> = {
  'an amend of the annotated function': {
    rewrite: (test) => {
      const bodies = Object.fromEntries(
        NAMES.map((name) => [name, `log('${name} is ready', ${name})`]),
      )
      test.write({ [FILE]: fileWith({ ...bodies, six: "trace('another text', [six, 6])" }) })
      test.person(['commit', '--quiet', '--all', '--amend', '-m', 'Write six, otherwise'])
    },
    lostBefore: ['six'],
  },
  'reworded commits': {
    rewrite: (test) =>
      test.person(rebase, { todo: ALL.map((at) => `reword ${at}`), message: 'Said better.' }),
  },
  'squashed commits': {
    rewrite: (test) =>
      test.person(rebase, { todo: ALL.map((at) => `${at === 1 ? 'pick' : 'squash'} ${at}`) }),
  },
  fixups: {
    rewrite: (test) =>
      test.person(rebase, { todo: ALL.map((at) => `${at % 2 === 1 ? 'pick' : 'fixup'} ${at}`) }),
  },
  'another order': {
    rewrite: (test) => test.person(rebase, { todo: [4, 1, 6, 3, 2, 5].map((at) => `pick ${at}`) }),
  },
  'all of these, on a branch that went on': {
    rewrite: (test) => {
      isElsewhere(test)
      test.git('checkout', '--quiet', 'feature')
      const todo = ['pick 2', 'squash 1', 'reword 4', 'pick 3', 'pick 6', 'fixup 5']
      test.person(rebase, { todo, message: 'Said better.' })
    },
  },
  'a dropped commit, whose reason goes': {
    rewrite: (test) =>
      test.person(rebase, { todo: ALL.filter((at) => at !== 3).map((at) => `pick ${at}`) }),
    told: NAMES.filter((name) => name !== 'three'),
  },
  'a commit that is split': {
    rewrite: (test) => split(test),
  },
  'a commit that is split, with the old ones collected': {
    rewrite: (test) => {
      split(test)
      forget(test)
    },
  },
  'a squash of the branch': {
    rewrite: (test) => {
      isElsewhere(test)
      test.person(['merge', '--quiet', '--squash', 'feature'])
      test.person(['commit', '--quiet', '-m', 'Write all of them (#12)'])
    },
  },
  'a squash of a branch that is gone': {
    rewrite: (test) => {
      isElsewhere(test)
      test.person(['merge', '--quiet', '--squash', 'feature'])
      test.person(['commit', '--quiet', '-m', 'Write all of them (#12)'])
      test.git('branch', '--quiet', '-D', 'feature')
      forget(test)
    },
  },
  'picks, one by one': {
    rewrite: (test) => {
      isElsewhere(test)
      for (const at of [5, 4, 3, 2, 1]) test.person(['cherry-pick', `feature~${at}`])
    },
    told: NAMES.slice(0, 5),
  },
  'a range of picks': {
    rewrite: (test) => {
      isElsewhere(test)
      test.person(['cherry-pick', 'main..feature~1'])
    },
    told: NAMES.slice(0, 5),
  },
  'picks that name what they come from': {
    rewrite: (test) => {
      isElsewhere(test)
      test.person(['cherry-pick', '-x', 'main..feature~1'])
    },
    told: NAMES.slice(0, 5),
  },
  'picks that are committed by hand': {
    rewrite: (test) => {
      isElsewhere(test)
      test.person(['cherry-pick', '-n', 'main..feature~1'])
      test.person(['commit', '--quiet', '-m', 'Write five of them'])
    },
    told: NAMES.slice(0, 5),
  },
  'a pick with a conflict': {
    rewrite: (test) => {
      test.git('checkout', '--quiet', 'main')
      test.commit('elsewhere', { [FILE]: fileWith({ three: "warn('elsewhere')" }) })
      expect(() => test.person(['cherry-pick', 'feature~3'])).toThrow()
      test.write({ [FILE]: fileWith({ three: "both(warn('elsewhere'), log('three', [three]))" }) })
      test.git('add', '--all')
      test.person(['cherry-pick', '--continue'])
    },
    told: ['three'],
    lostBefore: ['three'],
  },
  'other ids for all commits': {
    rewrite: (test) =>
      test.person(['filter-branch', '-f', '--msg-filter', 'cat && echo Signed-off', '--', '--all']),
  },
}

/** The third commit becomes one of its file and one of its documentation. */
function split(test: Story): void {
  test.person(rebase, { todo: ALL.map((at) => `${at === 3 ? 'edit' : 'pick'} ${at}`) })
  test.person(['reset', '--quiet', 'HEAD~1'])
  test.person(['add', 'docs'])
  test.person(['commit', '--quiet', '-m', 'Document three'])
  test.person(['add', '--all'])
  test.person(['commit', '--quiet', '-m', 'Write three'])
  test.person(['rebase', '--continue'])
}

/** The functions whose reasons are told of themselves, each once. */
async function told(test: Story): Promise<string[]> {
  const found: string[] = []
  for (const name of NAMES) {
    const { regions } = await test.read({ path: FILE, anchor: name })
    const here = regions.filter(({ freshness }) => freshness.state !== 'orphaned')
    for (const { intent } of here)
      found.push(intent === `why ${name}` ? name : `${name}: ${intent}`)
  }
  return found
}

describe.each(Object.entries(REWRITES))(
  '%s',
  (_, { rewrite, told: expected = NAMES, lostBefore = [] }) => {
    it('with hooks: every reason is told, once', async () => {
      await using test = await sixCommits(true)
      rewrite(test)
      expect(await told(test)).toEqual(expected)
    })

    it('without hooks: found by content, and what is not by a repair', async () => {
      await using test = await sixCommits(false)
      rewrite(test)
      const before = await told(test)
      expect(before).toEqual(
        expect.arrayContaining(expected.filter((name) => !lostBefore.includes(name))),
      )
      await execute(test.context, repairAnnotations, {})
      expect(await told(test)).toEqual(expected)
    })
  },
)
