import {
  agentForm,
  claudeForm,
  clineForm,
  copilotForm,
  cursorForm,
  type Form,
  geminiForm,
  pluginForm,
} from './forms.ts'

/** What hosts tell us of, by our names. */
export const HOOK_EVENTS = [
  'session-start',
  'before-edit',
  'after-edit',
  'prompt',
  'stop',
  'session-end',
  'before-compaction',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

export function isHookEvent(word: string | undefined): word is HookEvent {
  return HOOK_EVENTS.some((event) => event === word)
}

/** Where the input of a host has what we need: of several paths the first that leads to a value counts. */
interface InputFields {
  readonly session: readonly string[]
  readonly folder: readonly string[]
  readonly tool: readonly string[]
  readonly args: readonly string[]
}

/** How one host runs hooks. */
export interface HookHost {
  /** As its MCP client calls itself, in any version. */
  readonly clients: readonly string[]
  /** The host's names of the events that can do something there; others are not installed. */
  readonly events: Readonly<Partial<Record<HookEvent, readonly string[]>>>
  /** Tools that change files; the whole name. */
  readonly editors: string
  readonly fields: InputFields
  /**
   * Whether it names the session to the servers that it starts, with the id that hooks get: always, or the one that it had
   * when the server was started, which is another one after `/clear` or a resume.
   */
  readonly namesSession?: 'always' | 'at start'
  /** Environment variable with the id of the session, for input that has none. */
  readonly sessionVariable?: string
  /** Variables of other hosts that run the hooks of this one too, beside their own. */
  readonly borrowers?: readonly string[]
  readonly form: Form
}

const CLAUDE_FIELDS: InputFields = {
  session: ['session_id'],
  folder: ['cwd'],
  tool: ['tool_name'],
  args: ['tool_input'],
}

/** After a compaction the host starts the session anew, and its SessionStart brings the brief. */
const CLAUDE_EVENTS = {
  'session-start': ['SessionStart'],
  'before-edit': ['PreToolUse'],
  'after-edit': ['PostToolUse'],
  prompt: ['UserPromptSubmit'],
  stop: ['Stop'],
  'session-end': ['SessionEnd'],
} as const

const PLUGIN = {
  events: {
    'session-start': ['chat.message'],
    'before-edit': ['tool.execute.before'],
    'after-edit': ['tool.execute.after'],
    prompt: ['chat.message'],
    stop: ['session.idle'],
    'session-end': ['session.deleted'],
    'before-compaction': ['experimental.session.compacting'],
  },
  editors: 'edit|write|patch|multiedit|apply_patch',
  fields: CLAUDE_FIELDS,
  form: pluginForm,
} as const

/** By the name that `waymark install` has for the host. */
export const HOOK_HOSTS: Readonly<Record<string, HookHost>> = {
  'claude-code': {
    clients: ['claude-code'],
    events: CLAUDE_EVENTS,
    editors: 'Edit|Write|MultiEdit|NotebookEdit',
    fields: CLAUDE_FIELDS,
    namesSession: 'at start',
    sessionVariable: 'CLAUDE_CODE_SESSION_ID',
    borrowers: ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID', 'CURSOR_VERSION', 'CURSOR_PROJECT_DIR'],
    form: claudeForm,
  },
  codex: {
    clients: ['codex', 'codex-mcp-client'],
    events: CLAUDE_EVENTS,
    editors: 'apply_patch|Edit|Write',
    fields: CLAUDE_FIELDS,
    namesSession: 'always',
    sessionVariable: 'CODEX_THREAD_ID',
    form: agentForm('deny'),
  },
  gemini: {
    clients: ['gemini', 'gemini-cli-mcp-client'],
    // PreCompress is only told of: what it answers reaches no model.
    events: {
      'session-start': ['SessionStart'],
      'before-edit': ['BeforeTool'],
      'after-edit': ['AfterTool'],
      prompt: ['BeforeAgent'],
      stop: ['AfterAgent'],
      'session-end': ['SessionEnd'],
    },
    editors: 'write_file|replace|edit',
    fields: CLAUDE_FIELDS,
    form: geminiForm,
  },
  qwen: {
    clients: ['qwen', 'qwen-cli-mcp-client-waymark'],
    events: CLAUDE_EVENTS,
    editors: 'write_file|edit|notebook_edit|WriteFile|Edit|NotebookEdit',
    fields: CLAUDE_FIELDS,
    namesSession: 'always',
    sessionVariable: 'QWEN_CODE_SESSION_ID',
    form: agentForm('ask'),
  },
  copilot: {
    clients: ['copilot', 'copilot-cli', 'Visual Studio Code'],
    events: {
      'session-start': ['sessionStart'],
      'before-edit': ['preToolUse'],
      'after-edit': ['postToolUse'],
      prompt: ['userPromptSubmitted'],
      stop: ['agentStop'],
      'session-end': ['sessionEnd'],
    },
    editors:
      'create|edit|str_replace|str_replace_editor|insert|apply_patch|editFiles|createFile|create_file|insert_edit_into_file|replace_string_in_file|multi_replace_string_in_file',
    // VS Code reads the same file and has other names.
    fields: {
      session: ['sessionId', 'session_id'],
      folder: ['cwd'],
      tool: ['toolName', 'tool_name'],
      args: ['toolArgs', 'tool_input'],
    },
    namesSession: 'always',
    sessionVariable: 'COPILOT_AGENT_SESSION_ID',
    form: copilotForm,
  },
  cursor: {
    clients: ['cursor', 'cursor-vscode'],
    // It has no way to add to a prompt, nor to what a compaction keeps.
    events: {
      'session-start': ['sessionStart'],
      'before-edit': ['preToolUse'],
      'after-edit': ['afterFileEdit'],
      stop: ['stop'],
      'session-end': ['sessionEnd'],
    },
    editors: 'Write|Edit|Delete|MultiEdit|StrReplace|EditNotebook',
    fields: {
      session: ['conversation_id', 'session_id'],
      folder: ['workspace_roots.0', 'cwd'],
      tool: ['tool_name'],
      // `afterFileEdit` has the path beside the other fields.
      args: ['tool_input', ''],
    },
    form: cursorForm,
  },
  cline: {
    clients: ['cline', '@cline/core', 'Cline'],
    events: {
      'session-start': ['TaskStart', 'TaskResume'],
      'before-edit': ['PreToolUse'],
      'after-edit': ['PostToolUse'],
      prompt: ['UserPromptSubmit'],
      'session-end': ['TaskComplete', 'TaskCancel'],
      'before-compaction': ['PreCompact'],
    },
    editors: 'write_to_file|replace_in_file|apply_patch|new_rule|editor|edit_file|write_file',
    fields: {
      session: ['taskId'],
      folder: ['workspaceRoots.0'],
      tool: ['preToolUse.toolName', 'postToolUse.toolName', 'preToolUse.tool', 'postToolUse.tool'],
      args: ['preToolUse.parameters', 'postToolUse.parameters'],
    },
    form: clineForm,
  },
  opencode: { clients: ['opencode'], ...PLUGIN },
  kilo: { clients: ['kilo'], ...PLUGIN },
}

export function findHookHost(name: string | undefined): HookHost | undefined {
  return name !== undefined && Object.hasOwn(HOOK_HOSTS, name) ? HOOK_HOSTS[name] : undefined
}
