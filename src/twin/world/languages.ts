/** The languages of a world in their own scripts. Sentences are complete, with hashtags. */

export interface Language {
  readonly code: string;
  /** The number of accounts of fifty that write in it. */
  readonly share: number;
  /** A given name in its script, and in Latin letters for the screen name. */
  readonly given: readonly (readonly [name: string, latin: string])[];
  readonly family: readonly string[];
  /** The form of a name: `{g}` is the given name, `{f}` the family name. */
  readonly name: string;
  readonly sentences: readonly string[];
  readonly replies: readonly string[];
  readonly bios: readonly string[];
  readonly places: readonly string[];
}

type Texts = Readonly<Record<'given' | 'family' | 'sentences' | 'replies' | 'bios' | 'places', string>>;

const words = (text: string): readonly string[] => text.split('|');

const defineLanguage = (code: string, share: number, texts: Texts, name = '{g} {f}'): Language => ({
  code,
  share,
  name,
  given: words(texts.given).map((pair) => {
    const [given, latin] = pair.split('=');
    return [given!, latin ?? given!.toLowerCase()];
  }),
  family: words(texts.family),
  // English accounts write about topics and have no sentences here.
  sentences: words(texts.sentences).filter(Boolean),
  replies: words(texts.replies),
  bios: words(texts.bios),
  places: words(texts.places),
});

export const LANGUAGES: readonly Language[] = [
  defineLanguage('en', 20, {
    given: 'Maya|Tom|Grace|Priya|Sam|Kofi|Iris',
    family: 'Marsh|Okafor|Lindqvist|O’Neill|Park|Rossi|Stone',
    sentences: '',
    replies: 'So true!|Where was this?|lol same|Congratulations!! 🎉|Source?|Thank you for sharing 🙏|Not again…',
    bios: 'Mostly {topic}. Opinions are my own.|she/her · {topic} · tea ☕|"If in doubt, leave it out."|Dad of two, fan of {topic}\nLiving in {place}|Writes at https://blog.example.org/|',
    places: 'London|Lagos|Sydney|Chicago, IL|everywhere',
  }),
  defineLanguage('es', 4, {
    given: 'Lucía=lucia|Álvaro=alvaro|Mateo',
    family: 'García|Núñez|Peña',
    sentences: '¡Qué partido! #fútbol|Hoy toca paella. #cocina|La niñez es un cuento. #poesía',
    replies: '¿En serio?|Jajaja|Mucho ánimo 💪',
    bios: 'Café, mucho café.|«La vida es sueño» 🌙|',
    places: 'Madrid|Bogotá',
  }),
  defineLanguage('pt', 2, {
    given: 'João=joao|Íris=iris|Beatriz',
    family: 'Conceição|Souza|Araújo',
    sentences: 'Que golaço! #futebol|Saudade do mar. #praia',
    replies: 'Concordo demais!|Que lindo!',
    bios: 'Carioca, às vezes.\n🌊|',
    places: 'São Paulo|Lisboa',
  }),
  defineLanguage('fr', 2, {
    given: 'Élodie=elodie|François=francois',
    family: 'Lefèvre|Noël|Garçon',
    sentences: 'Encore un train supprimé… #grève|L’été me manque déjà. #été',
    replies: 'Bien vu !|Oh là là…',
    bios: '« Cogito, ergo café »|',
    places: 'Lyon|Montréal',
  }),
  defineLanguage('de', 2, {
    given: 'Jörg=joerg|Käthe=kaethe|Matthias',
    family: 'Müller|Großmann|Weiß',
    sentences: 'Endlich Frühling! #Frühling|Straßenfest in der Südstadt. #Köln',
    replies: 'Schön!|Wirklich?',
    bios: 'Fahrrad, Bücher, Brot.|',
    places: 'Köln|Zürich',
  }),
  defineLanguage('tr', 2, {
    given: 'Ayşe=ayse|Işıl=isil|Mehmet',
    family: 'Yıldız|Öztürk|Şahin',
    sentences: 'Boğaz’da çay keyfi. #İstanbul|Iğdır’dan kayısı geldi. #lezzet',
    replies: 'Çok doğru!|Günaydın!',
    bios: 'Kitap, kedi, kahve.|',
    places: 'İstanbul|Iğdır',
  }),
  defineLanguage('ru', 2, {
    given: 'Анна=anna|Иван=ivan|Фёдор=fedor',
    family: 'Щербак|Живаго|Чайка',
    sentences: 'Новая глава. #книги|Первый снег в этом году! #зима|Хорошее кино на вечер. #кино',
    replies: 'Спасибо!|Где это?',
    bios: 'Кот, чай, «Мастер и Маргарита»|',
    places: 'Казань|Алматы',
  }),
  defineLanguage('el', 1, {
    given: 'Ελένη=eleni|Γιώργος=giorgos',
    family: 'Οικονόμου|Αγγέλου',
    sentences: 'Καλημέρα από το λιμάνι! #θάλασσα|Ο καφές θέλει υπομονή. #ΚΑΦΈΣ',
    replies: 'Συμφωνώ απόλυτα!|Πού είναι αυτό;',
    bios: 'Αγαπώ τη θάλασσα.|',
    places: 'Αθήνα|Χανιά',
  }),
  defineLanguage('ar', 2, {
    given: 'ليلى=layla|يوسف=yusuf|أحمد=ahmad',
    family: 'الحداد|قاسم|الشامي',
    sentences: 'صباح الخير من البحر #صباح_الخير|مباراة رائعة الليلة! #كرة_القدم|من جرّب هذه الوصفة؟ #طبخ',
    replies: 'كلام جميل!|شكراً لك 🌹',
    bios: 'القاهرة ☕ قهوة بلا سكر|',
    places: 'القاهرة|عمّان',
  }),
  defineLanguage('he', 1, {
    given: 'נועה=noa|איתן=eitan',
    family: 'לוי|בן־עמי',
    sentences: 'בוקר טוב מהשוק! #בוקר_טוב|ספר חדש על המדף 📚 #ספרים',
    replies: 'איפה זה?|תודה רבה 🙏',
    bios: 'קוראת, כותבת, שותה קפה.|',
    places: 'חיפה|תל אביב',
  }),
  defineLanguage('hi', 2, {
    given: 'दीपिका=deepika|मीरा=meera|रोहित=rohit',
    family: 'शर्मा|त्रिपाठी|सिंह',
    sentences: 'सुबह की चाय और बारिश। #चाय|क्या शानदार मैच था! #क्रिकेट|माँ के हाथ का खाना। #खाना',
    replies: 'सच में?|धन्यवाद!',
    bios: 'क्रिकेट और कविता 🏏|',
    places: 'दिल्ली|जयपुर',
  }),
  defineLanguage('ta', 1, {
    given: 'கவிதா=kavitha|முருகன்=murugan',
    family: 'சுந்தரம்|இளங்கோ',
    sentences: 'காலை வணக்கம்! #சென்னை|நல்ல மழை இன்று. #மழை',
    replies: 'மிகவும் சரி!|நன்றி 🙏',
    bios: 'தமிழ், இசை, காபி.|',
    places: 'சென்னை|மதுரை',
  }),
  defineLanguage('th', 1, {
    given: 'สมชาย=somchai|มาลี=malee',
    family: 'ใจดี|ทองคำ',
    sentences: 'เช้านี้ฝนตกหนักมาก #ฝนตก|กาแฟแก้วแรกของวัน ☕ #กาแฟ',
    replies: 'จริงที่สุด|5555',
    bios: 'ชอบแมว ชอบทะเล|',
    places: 'กรุงเทพฯ|ภูเก็ต',
  }),
  defineLanguage(
    'zh',
    2,
    {
      given: '小雨=xiaoyu|志明=zhiming|静=jing',
      family: '王|陳|欧阳',
      sentences: '早安，今天的天空特别蓝。 #早安|这家面馆值得排队！ #美食|下雨天適合看書。 #讀書',
      replies: '说得对！|太好了，謝謝分享',
      bios: '「不積跬步，無以至千里」|',
      places: '上海|台北',
    },
    '{f}{g}',
  ),
  defineLanguage(
    'ja',
    3,
    {
      given: 'さくら=sakura|健太=kenta|美咲=misaki',
      family: '佐藤|山本|髙橋',
      sentences: 'いい天気ですね #おはよう|ラーメンが食べたい… #ラーメン|終電を逃しました #夜行列車',
      replies: 'わかります！|草',
      bios: '無言フォロー失礼します🙇‍♀️|',
      places: '東京|京都',
    },
    '{f}{g}',
  ),
  defineLanguage(
    'ko',
    2,
    {
      given: '민준=minjun|서연=seoyeon',
      family: '김|남궁',
      sentences: '오늘도 좋은 하루! #아침|콘서트 다녀왔어요 🎤 #콘서트',
      replies: 'ㅋㅋㅋㅋㅋ|고마워요',
      bios: '책과 커피, 그리고 고양이|',
      places: '서울|제주',
    },
    '{f}{g}',
  ),
  defineLanguage('ka', 1, {
    given: 'ნინო=nino|გიორგი=giorgi',
    family: 'ბერიძე|ლომიძე',
    sentences: 'დილა მშვიდობისა თბილისიდან! #თბილისი|დღეს თოვს. #ზამთარი',
    replies: 'მართალია!|მადლობა 🙏',
    bios: 'მთები, ღვინო, წიგნები.|',
    places: 'თბილისი|ბათუმი',
  }),
];
