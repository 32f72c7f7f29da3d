/** Topics of tweets in English, so that hashtags and search results look realistic. */

export interface Topic {
  readonly title: string;
  readonly tags: readonly string[];
  readonly nouns: readonly string[];
  /** Templates with `{noun}`, `{place}` and `{number}`. */
  readonly sentences: readonly string[];
  readonly emoji: readonly string[];
}

const words = (text: string): readonly string[] => text.split(/\s*\|\s*/);

export const TOPICS: readonly Topic[] = [
  {
    title: 'Football',
    tags: ['Matchday', 'Football', 'CupFinal', 'WomensFootball', 'TransferNews'],
    nouns: words('the keeper|the left wing|that late penalty|our captain|the away end|the new striker'),
    sentences: [
      '{noun} won it in stoppage time, and {place} went wild.',
      'Kick-off in {number} minutes. Nervous already.',
      'Nobody talks enough about {noun}.',
      'Final score {number}:1. I have no voice left.',
      'If {noun} stays fit we finish in the top four.',
      'Train to {place} full of singing fans. Good morning!',
    ],
    emoji: ['⚽', '🏆', '🥅', '🙌🏽'],
  },
  {
    title: 'Astronomy',
    tags: ['Astronomy', 'NightSky', 'Aurora', 'Eclipse', 'Astrophotography'],
    nouns: words('Jupiter|the Orion nebula|a thin moon|the space station|Saturn|the winter Milky Way'),
    sentences: [
      'Caught {noun} through the clouds over {place} tonight.',
      '{number} frames stacked, and {noun} finally shows its colours.',
      'Look up after dusk: {noun} is right there in the south.',
      'Light from {noun} left before any of us were born.',
      'Meteor count so far: {number}. Tea count: two.',
      'The forecast says clear skies over {place}. I do not believe it.',
    ],
    emoji: ['🔭', '🌌', '🪐', '✨'],
  },
  {
    title: 'Baking',
    tags: ['Sourdough', 'Baking', 'Recipe', 'CakeOfTheDay', 'BreadTok'],
    nouns: words('the rye loaf|my starter|this lemon cake|the cinnamon knot|a plain baguette|the third batch'),
    sentences: [
      '{noun} came out better than I deserve.',
      'Day {number} of the starter. It has a name now.',
      'Bakery in {place} sells out by nine, and I know why: {noun}.',
      'Hot take: {noun} needs more salt than you think.',
      '{number} grams of butter later, no regrets.',
      'Whoever invented {noun} should get a statue in {place}.',
    ],
    emoji: ['🍞', '🥐', '🧁', '👩🏾‍🍳'],
  },
  {
    title: 'Cycling',
    tags: ['CycleToWork', 'Cycling', 'BikeCommute', 'GravelRide', 'TourNotes'],
    nouns: words('a headwind|the canal path|my old steel frame|the new bike lane|a flat tyre|the last climb'),
    sentences: [
      '{number} km before breakfast, mostly against {noun}.',
      '{place} finally opened the protected lane. It is lovely.',
      'Today’s enemy: {noun}.',
      'Fixed {noun} with a banknote and hope.',
      'Counted {number} bikes and one bus on the bridge this morning.',
      'You only really know {place} after riding it in the rain.',
    ],
    emoji: ['🚲', '🚵🏻‍♀️', '🌧️', '💨'],
  },
  {
    title: 'Music',
    tags: ['NowPlaying', 'Jazz', 'VinylSunday', 'LiveMusic', 'NewAlbum'],
    nouns: words('that bass line|the second side|a borrowed trumpet|the quiet encore|her new record|the drummer'),
    sentences: [
      'On repeat tonight: {noun}.',
      'Found {noun} for {number} in a shop in {place}.',
      '{noun} made the whole room stop talking.',
      'Track {number} is the one. Trust me.',
      'Small club in {place}, forty people, {noun}. Perfect evening.',
      'Practising until the neighbours know {noun} by heart.',
    ],
    emoji: ['🎷', '🎶', '🎧', '🎹'],
  },
  {
    title: 'Gardening',
    tags: ['GardeningHour', 'Allotment', 'Wildflowers', 'GrowYourOwn', 'Seedlings'],
    nouns: words('the tomatoes|a brave snail|the old pear tree|my first leeks|the compost|the sunflower'),
    sentences: [
      '{noun} survived the frost. I nearly cried.',
      'Harvest report: {number} beans and {noun}.',
      'The whole street in {place} smells of lilac.',
      'Planted {number} bulbs, remembered where I put none.',
      'Advice wanted: what is eating {noun}?',
      'A robin now supervises {noun} every morning.',
    ],
    emoji: ['🌱', '🌻', '🍅', '🐌'],
  },
  {
    title: 'Film',
    tags: ['FilmDiary', 'NowWatching', 'SilentFilm', 'Cinema', 'FestivalDiary'],
    nouns: words('the long take|that ending|a restored print|the score|the villain|the tiny cinema'),
    sentences: [
      'Watched it for {noun}, stayed for the credits.',
      '{noun} is worth the {number} minutes before it.',
      'The old picture house in {place} shows it on 35 mm this week.',
      'No spoilers, but {noun}!',
      'Festival day {number}: three films, one sandwich.',
      'I will defend {noun} until the end of time.',
    ],
    emoji: ['🎬', '🍿', '🎞️', '📽️'],
  },
  {
    title: 'Databases',
    tags: ['SQL', 'Databases', 'OpenSource', 'SQLite', 'DevLife'],
    nouns: words('the missing index|a full table scan|the migration|one transaction|that query plan|the backup'),
    sentences: [
      'Spent {number} hours on it. It was {noun}.',
      'Please test {noun} before you need it.',
      'Query went from {number} s to 4 ms thanks to {noun}.',
      'Meetup in {place} tonight: everything about {noun}.',
      'Unpopular opinion: {noun} is documentation.',
      'Deployed on a Friday. {noun} is fine. I am fine.',
    ],
    emoji: ['💾', '🧑🏿‍💻', '🐛', '📈'],
  },
  {
    title: 'Weather',
    tags: ['Weather', 'StormWatch', 'Heatwave', 'ClimateData', 'Fog'],
    nouns: words('the front|a wall of fog|the first snow|this heat|the river|a double rainbow'),
    sentences: [
      '{noun} reached {place} an hour early.',
      'Warmest night on record here: {number} degrees at four.',
      'Gauge reads {number} mm since midnight, and {noun} is not done.',
      'View from the hill above {place}: {noun}.',
      'Take an umbrella. {noun} is coming.',
      'New chart: {number} years of rain in one line.',
    ],
    emoji: ['⛈️', '🌈', '☀️', '❄️'],
  },
  {
    title: 'Books',
    tags: ['AmReading', 'Books', 'Poetry', 'BookClub', 'LibraryLife'],
    nouns: words('the last chapter|a second-hand atlas|her letters|the narrator|this translation|the footnotes'),
    sentences: [
      'Page {number}, and I still do not trust {noun}.',
      'Stayed up for {noun}. Worth it.',
      'The library in {place} let me borrow {noun} again.',
      'Book club verdict: everybody loved {noun}, nobody agreed why.',
      'Read {number} books this year; {noun} stays with me.',
      '“Begin at the beginning,” said the book. I started with {noun}.',
    ],
    emoji: ['📚', '📖', '🤓', '🔖'],
  },
  {
    title: 'Trains',
    tags: ['TrainTravel', 'NightTrain', 'RailwayHistory', 'WindowSeat', 'Delays'],
    nouns: words('the sleeper|a narrow-gauge line|the dining car|the viaduct|platform nine|the first tram'),
    sentences: [
      'Window seat, {noun}, {number} tunnels. Happy.',
      'Delayed by {number} minutes near {place}; somebody is sharing biscuits.',
      'They are restoring {noun} in {place}!',
      'Woke up on {noun} to mountains.',
      'Timetable of 1934 says {number} minutes. Today it takes an hour.',
      'Ranking stations by their clocks; {place} wins.',
    ],
    emoji: ['🚆', '🚉', '🛤️', '🎫'],
  },
  {
    title: 'Cats',
    tags: ['Caturday', 'CatsOfTheWorld', 'RescueCat', 'Kitten', 'VetDay'],
    nouns: words('the cat|a stolen sausage|the cardboard box|the neighbour’s cat|the printer|my keyboard'),
    sentences: [
      'The cat has opinions about {noun}.',
      '{number} a.m., and {noun} is under attack.',
      'Adopted in {place}, now rules over {noun}.',
      'Brought a toy for {number}. Prefers {noun}.',
      'Work call interrupted by {noun}. Best part of the day.',
      'Weighed in at {number} hundred grams. Tiny! Loud!',
    ],
    emoji: ['🐈', '🐈‍⬛', '😻', '🐾'],
  },
];

/** Accounts that every world with enough people has, by fame: examples can rely on their names. */
export const FAMOUS_ACCOUNTS = [
  {
    screenName: 'HarbourNews',
    name: 'Harbour News',
    topic: 8,
    bio: 'News from the coast, day and night.\nTips: desk@harbour.example',
  },
  { screenName: 'nightsky_now', name: 'Night Sky, Now 🔭', topic: 1, bio: 'What is up tonight. "Look up!" #NightSky' },
  {
    screenName: 'MatchdayLive',
    name: 'Matchday Live ⚽',
    topic: 0,
    bio: 'Every goal, every ground. Not affiliated with anyone who wins.',
  },
  {
    screenName: 'sidetwo',
    name: 'Side Two',
    topic: 4,
    bio: 'Records, rooms & rumours. https://sidetwo.example/listen',
  },
  {
    screenName: 'explain_plan',
    name: 'EXPLAIN PLAN',
    topic: 7,
    bio: "It's always the missing index; drop table doubts;--",
  },
] as const;

export const LINK_HOSTS = words(
  'harbour.example|blog.example.org|photos.example.net|wiki.example.org|shop.example.com',
);
export const LINK_WORDS = words('story|notes|gallery|archive|live|guide|map|review|chart|recipe');

/** Texts that a careless reader trips over; all are well formed. */
export const UNUSUAL_TEXTS: readonly string[] = [
  '"Quoted", said the \'quoter\', and added a back\\slash; -- and a comment',
  '=SUM(A1:A9) looked better in the spreadsheet',
  'First line\nSecond line\n\n\tFourth, with a tab',
  'Ich mag Ä, Ö, Ü – und decomposed: A\u0308 O\u0308 U\u0308 #A\u0308RGER #ÄRGER',
  'Family: 👨‍👩‍👧‍👦, flags: 🇺🇦🇧🇷🇯🇵🏴󠁧󠁢󠁳󠁣󠁴󠁿, keycap: #️⃣ 1️⃣, hands: 👋🏻👋🏽👋🏿',
  'Not tags: #1, C# and &#39;. A tag: #C_sharp. An address: team@example.org',
  'Left and \u2067ימין ושמאל\u2069 in one line, \u200Ewith marks',
  'Z\u0351\u036B\u0343a\u0359\u0325l\u0349\u0353g\u0339\u034Bo\u0334\u0322 has arrived',
  "100% of users_with_underscores like 'LIKE' % and _",
  'null',
  '<b>bold?</b> <script>alert("no")</script> &amp; &lt;3',
  'Anchor in a link, not a tag: https://wiki.example.org/Page_(disambiguation)#History. And #real',
];

export const PLACES = words(
  'Leeds|Porto|Galway|Bergen|Austin|Nairobi|Melbourne|Halifax|Cape Town|Gdańsk|Lyon|Kyoto|Lima|Tartu',
);
export const EMOJI = words('😂|❤️|🔥|🙏|👀|🎉|😭|💯|🤷🏻‍♂️|☕|🌍|👏🏿|🫶|🏳️‍🌈');

/** Parts of screen names. */
export const HANDLE_PREFIXES = words(
  'slow|quiet|north|silver|lucky|paper|night|salt|rusty|tiny|blue|real|ask|dr|the|just|old',
);
export const HANDLE_SUFFIXES = words(
  'kettle|train|otter|pixel|harbor|poet|garden|lamp|finch|river|coder|moss|radio|cloud|fox|bread',
);

/** Names of communities and lists: `{topic}` and `{place}` are filled in. */
export const COMMUNITY_NAMES = words(
  '{topic} Circle|{topic} after Midnight|Beginners’ {topic}|{topic} in {place}|The {topic} Table',
);
export const COMMUNITY_DESCRIPTIONS = [
  'Everything about {topic}. Be kind; cite your sources.',
  'For people who take {topic} seriously, and themselves less so. ☕',
  'Questions welcome.\nRules: no spam, no spoilers, no "well, actually".',
  '',
];
export const LIST_NAMES = words('{topic} people|Best of {topic}|{place} voices|{topic}: must read|my {topic} list');
export const LIST_DESCRIPTIONS = [
  'Hand-picked, seldom updated.',
  'Who to read about {topic}.',
  'Private jokes & {topic} 🙃',
  '',
];
