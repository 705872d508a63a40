import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askTheOwner, handOut, recallKnowledge, writePlan } from './morning.ts'
import { closeTheEpic, endSessions, takeAway, undoMistakes } from './afternoon.ts'
import { importIssues, lookAround, overrule } from './evening.ts'
import { createStage, type Say } from './stage.ts'

/** A planner, three agents and a person work for a day; the first thing that is not as promised throws. */
export async function play(cwd: string, say: Say = () => {}): Promise<void> {
  createShop(cwd)
  const stage = createStage(cwd, say)
  await stage.person('init')
  await using watching = stage.watch()
  await using planner = await stage.start('planner')
  await writePlan(stage, planner)

  await using claude = await stage.start('claude-code')
  await using second = await stage.start('claude-code', 'claude-code-2')
  await using codex = await stage.start('codex')
  const held = await handOut(stage, { planner, claude, second, codex })
  await recallKnowledge(stage, codex)
  await askTheOwner(stage, second)
  await watching.shows(': May guests pay by invoice?')
  await watching.shows('to codex: Receipts are for cards only')

  const startNext = await endSessions(stage, { claude, codex, held })
  await using nextClaude = await startNext('claude-code')
  await using nextCodex = await startNext('codex')
  await takeAway(stage, { codex: nextCodex, second })
  await undoMistakes(stage, nextCodex)
  await closeTheEpic(stage, { planner, claude: nextClaude, second, codex: nextCodex })
  await overrule(stage, nextCodex)
  await lookAround(stage, nextCodex)
  await importIssues(stage, planner)
}

/** A repository of a person called Kim, with one commit. */
function createShop(cwd: string): void {
  mkdirSync(join(cwd, 'src', 'cart'), { recursive: true })
  for (const name of ['cart', 'price'])
    writeFileSync(join(cwd, 'src', 'cart', `${name}.ts`), `export const ${name} = new Map()\n`)
  const git = (...words: string[]) => execFileSync('git', ['-C', cwd, ...words])
  git('config', 'user.name', 'Kim')
  git('config', 'user.email', 'kim@example.com')
  git('add', 'src')
  git('commit', '--quiet', '--message', 'Add the cart')
}
