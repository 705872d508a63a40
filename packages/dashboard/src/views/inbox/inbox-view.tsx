import { messages, questions } from '../../data/task/questions.ts'
import { route, setQuery } from '../../shell/router.ts'
import { inboxWords } from '../../text/view/inbox.ts'
import { Question } from '../now/question.tsx'
import { ThreadList } from './thread-list.tsx'
import { ThreadPage } from './thread-page.tsx'
import { isMine, toThreads } from './threads.ts'

/** Questions first, then every conversation, also those between agents. */
export function InboxView() {
  const scope = route.value.query.get('scope') === 'mine' ? 'mine' : 'all'
  const threads = toThreads(messages.value).filter((thread) => scope === 'all' || isMine(thread))
  const chosen = threads.find(({ key }) => key === route.value.query.get('thread')) ?? threads[0]
  return (
    <div class="inbox">
      <section class="panel" aria-labelledby="questions">
        <header>
          <h2 id="questions">{inboxWords.questions}</h2>
          <span class="count">{questions.value.length}</span>
        </header>
        {questions.value.length === 0 && <p class="empty">{inboxWords.noQuestions}</p>}
        <ul class="rows">
          {questions.value.map((question) => (
            <Question key={question.id ?? `#${question.number}`} question={question} />
          ))}
        </ul>
      </section>
      <section class="panel conversations" aria-labelledby="conversations">
        <header>
          <h2 id="conversations">{inboxWords.conversations}</h2>
          <span class="segmented count" role="group">
            {(['all', 'mine'] as const).map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={scope === name}
                onClick={() => setQuery({ scope: name })}
              >
                {inboxWords[name]}
              </button>
            ))}
          </span>
        </header>
        {threads.length === 0 && <p class="empty">{inboxWords.noMessages}</p>}
        <div class="conversation-columns">
          <ThreadList threads={threads} chosen={chosen?.key} />
          {chosen !== undefined && <ThreadPage key={chosen.key} thread={chosen} />}
        </div>
      </section>
    </div>
  )
}
