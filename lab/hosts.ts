import type { LabHost } from './host.ts'
import { CLAUDE } from './hosts/claude.ts'
import { CLINE } from './hosts/cline.ts'
import { CODEX } from './hosts/codex.ts'
import { CONTINUE } from './hosts/continue.ts'
import { COPILOT } from './hosts/copilot.ts'
import { GEMINI_CLI } from './hosts/gemini.ts'
import { KILO, OPENCODE } from './hosts/opencode.ts'
import { QWEN } from './hosts/qwen.ts'

export const HOSTS: readonly LabHost[] = [
  CLAUDE,
  CODEX,
  GEMINI_CLI,
  OPENCODE,
  COPILOT,
  QWEN,
  CLINE,
  CONTINUE,
  KILO,
]
