/** Kinds of things of daily life and examples of them. An underscore joins a phrase. */
const KINDS = `
pet: dog puppy cat kitten hamster rabbit parrot budgie goldfish turtle tortoise guinea_pig
animal: dog cat horse cow sheep goat pig bird rabbit fox bear deer elephant lion
bird: parrot owl eagle robin crow duck goose chicken
instrument: guitar piano violin cello drums flute saxophone trumpet clarinet ukulele harp bass keyboard
sport: football soccer basketball tennis swimming running hockey volleyball baseball golf rowing boxing climbing
  skiing surfing cycling yoga rugby judo
exercise: running jogging swimming yoga gym workout cycling pilates training
game: chess poker puzzle videogame board_game console
art: painting drawing sculpture pottery ceramics photography watercolour watercolor
craft: knitting sewing pottery ceramics woodwork carpentry crochet
hobby: painting pottery gardening knitting photography hiking fishing reading cooking baking chess dancing rowing
  climbing cycling sewing birdwatching
profession: nurse doctor teacher engineer lawyer chef baker paramedic carpenter journalist architect dentist vet
  plumber electrician accountant designer pilot
job: nurse doctor teacher engineer lawyer chef baker waiter driver journalist architect designer office shift
relative: mother father sister brother aunt uncle cousin grandmother grandfather grandma grandpa niece nephew
family: mother father sister brother son daughter parents wife husband grandmother grandfather kids children
sibling: brother sister twin
grandparent: grandmother grandfather grandma grandpa
vehicle: car bike bicycle motorbike motorcycle truck van bus scooter boat
transport: train bus car ferry plane bike tram taxi
meal: breakfast lunch dinner supper brunch
food: bread cheese soup pasta pizza rice cake fruit vegetables meat fish curry salad
dessert: cake pie ice_cream cookies brownies tart pudding chocolate
drink: coffee tea beer wine juice lemonade cocktail
fruit: apple banana orange strawberry cherry pear plum peach grape
flower: rose tulip sunflower daisy lily orchid
plant: tree flower herb tomato basil rose seedling
season: spring summer autumn fall winter
building: house tower church school roof barn castle hotel
furniture: table chair desk bed sofa couch shelf wardrobe
clothes: shirt dress trousers jeans jacket coat sweater shoes hat scarf
jewellery: ring necklace bracelet earring brooch
jewelry: ring necklace bracelet earring brooch
illness: flu cold fever cancer asthma allergy migraine diabetes infection
injury: broken sprained fracture bruise cut burn
allergy: allergic peanuts nuts pollen gluten dairy
disaster: flood fire storm earthquake hurricane
colour: red blue green yellow purple pink orange brown black white grey
color: red blue green yellow purple pink orange brown black white gray
country: france germany italy spain england scotland ireland norway sweden poland canada mexico brazil japan china
  india australia portugal greece
city: london paris berlin rome madrid tokyo boston chicago york amsterdam vienna lisbon
language: english french german spanish italian japanese chinese russian arabic portuguese
degree: bachelor master phd doctorate diploma
subject: maths mathematics physics chemistry biology history geography psychology
media: book film movie podcast newspaper magazine series
event: concert festival wedding conference workshop exhibition party marathon fair parade
ceremony: wedding funeral graduation christening
organisation: charity club council company university agency
organization: charity club council company university agency
weather: rain snow storm sunny wind fog
material: wood metal clay glass stone leather cotton
`

/** Every kind and its examples: a question names the kind where the text names the thing, hardly ever the other way. */
export function* kindsAndExamples(): Generator<
  readonly [kind: string, examples: readonly string[]]
> {
  for (const line of KINDS.trim().split(/\n(?! )/)) {
    const [kind = '', examples = ''] = line.split(':')
    yield [kind, examples.trim().split(/\s+/)]
  }
}
