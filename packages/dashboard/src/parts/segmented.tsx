interface Props<Choice extends string | number> {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly chosen: Choice
  readonly nameOf: (choice: Choice) => string
  readonly onChoose: (choice: Choice) => void
}

/** A segmented control: one of a few choices, all visible. */
export function Segmented<Choice extends string | number>({
  label,
  choices,
  chosen,
  nameOf,
  onChoose,
}: Props<Choice>) {
  return (
    <span class="segmented" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === chosen}
          onClick={() => onChoose(choice)}
        >
          {nameOf(choice)}
        </button>
      ))}
    </span>
  )
}
