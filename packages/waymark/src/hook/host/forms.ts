/**
 * What a hook has to say: something for the model to know, a refusal of an edit, or a reason to go on instead of
 * stopping.
 */
export interface Reply {
  readonly kind: 'context' | 'reserved' | 'block'
  readonly text: string
}

/** The input of the hook, as far as it decides the form of the answer. */
interface Asked {
  /** The host's name of the event. */
  readonly name: string
  /** Whether a person can be asked. */
  readonly isAttended: boolean
}

/** The text on standard output that a host takes for this reply. */
export type Form = (reply: Reply, asked: Asked) => string

/** Standard output of a successful hook is context in Claude Code, except for tools. */
export const claudeForm: Form = (reply, asked) =>
  reply.kind === 'context' ? reply.text : agentForm('ask')(reply, asked)

/**
 * The form that Claude Code has and others took over. Codex accepts no decision but `deny`: it fails on any other one,
 * and then goes ahead.
 */
export function agentForm(decision: 'ask' | 'deny'): Form {
  return ({ kind, text }, { name: hookEventName, isAttended }) => {
    switch (kind) {
      case 'context':
        return json({ hookSpecificOutput: { hookEventName, additionalContext: text } })
      case 'reserved':
        return json({
          hookSpecificOutput: {
            hookEventName,
            permissionDecision: isAttended ? decision : 'deny',
            permissionDecisionReason: text,
          },
        })
      case 'block':
        return json({ decision: 'block', reason: text })
    }
  }
}

export const geminiForm: Form = (reply, asked) =>
  reply.kind === 'context'
    ? agentForm('deny')(reply, asked)
    : json({ decision: 'deny', reason: reply.text })

/** Copilot CLI reads the fields at the top, VS Code those of the event. Copilot's cloud agent passes over `ask`. */
export const copilotForm: Form = ({ kind, text }, { name }) => {
  const fields = {
    context: { additionalContext: text },
    reserved: { permissionDecision: 'deny', permissionDecisionReason: text },
    block: { decision: 'block', reason: text },
  }[kind]
  const hookEventName = NAMES_IN_VS_CODE[name] ?? name
  return json({ ...fields, hookSpecificOutput: { hookEventName, ...fields } })
}

const NAMES_IN_VS_CODE: Readonly<Record<string, string>> = {
  sessionStart: 'SessionStart',
  preToolUse: 'PreToolUse',
  userPromptSubmitted: 'UserPromptSubmit',
  agentStop: 'Stop',
}

export const cursorForm: Form = ({ kind, text }) =>
  json(
    {
      context: { additional_context: text },
      reserved: { permission: 'deny', user_message: text, agent_message: text },
      block: { followup_message: text },
    }[kind],
  )

/** `cancel` would end the whole task, not the one edit, so the model is told instead. */
export const clineForm: Form = ({ text }) => json({ cancel: false, contextModification: text })

/** For our own plugin files, which turn it into calls of the host. */
export const pluginForm: Form = ({ kind, text }) => json({ [kind]: text })

function json(value: unknown): string {
  return JSON.stringify(value)
}
