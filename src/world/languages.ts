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

const words = (text: string): readonly string[] => text.split('|');
const given = (text: string): readonly (readonly [string, string])[] =>
  words(text).map((pair) => {
    const [name, latin] = pair.split('=');
    return [name!, latin ?? name!.toLowerCase()] as const;
  });

/** English accounts write about topics and have no sentences here. */
export const LANGUAGES: readonly Language[] = [
  {
    code: 'en',
    share: 20,
    name: '{g} {f}',
    given: given('Maya|Tom|Grace|Jonah|Priya|Sam|Ruth|Leo|Nina|Kofi|Iris|Dan'),
    family: words('Marsh|Okafor|Bell|Hughes|Lindqvist|O’Neill|Park|Rossi|Fletcher|Mbeki|Stone|Ward'),
    sentences: [],
    replies: words(
      'So true!|Where was this?|I would argue the opposite.|Saving this for later.|lol same|Congratulations!! 🎉|Source?|' +
        'This made my day.|Can confirm, was there.|Thank you for sharing 🙏|Wait, really?|Not again…',
    ),
    bios: [
      'Mostly {topic}. Opinions are my own.',
      'she/her · {topic} · tea ☕',
      '"If in doubt, leave it out."',
      'Dad of two, fan of {topic}\nLiving in {place}',
      'Writes about {topic} at https://blog.example.org/',
      '',
      '{topic} & other disasters 🔥',
    ],
    places: words('London|Toronto|Lagos|Sydney|Chicago, IL|Dublin|Bengaluru|everywhere'),
  },
  {
    code: 'es',
    share: 4,
    name: '{g} {f}',
    given: given('Lucía=lucia|Mateo|Sofía=sofia|Álvaro=alvaro|Inés=ines|Joaquín=joaquin'),
    family: words('García|Núñez|Fernández|Ibáñez|Peña|Romero'),
    sentences: words(
      '¡Qué partido! No me lo creo todavía. #fútbol|Hoy toca paella con la familia. #cocina|¿Alguien más despierto a esta hora?|' +
        'El atardecer en la playa no decepciona. #verano|Nuevo capítulo, por fin. #lectura|La niñez es un cuento. #poesía',
    ),
    replies: words('¡Totalmente de acuerdo!|¿En serio?|Jajaja, buenísimo|Mucho ánimo 💪|Eso mismo pensaba yo.'),
    bios: ['Periodista y madre. Café, mucho café.', 'Aquí solo para leer', '«La vida es sueño» 🌙', ''],
    places: words('Madrid|Bogotá|Ciudad de México|Málaga'),
  },
  {
    code: 'pt',
    share: 2,
    name: '{g} {f}',
    given: given('João=joao|Beatriz|Caetano|Íris=iris|Luís=luis'),
    family: words('Conceição|Magalhães|Souza|Araújo|Lobo'),
    sentences: words(
      'Bom dia! Pão de queijo e café. #cafédamanhã|Que golaço! #futebol|Saudade do mar. #praia|' +
        'Show incrível ontem à noite. #música|Chove sem parar há três dias. #chuva',
    ),
    replies: words('Concordo demais!|Não acredito 😂|Que lindo!|Boa sorte!'),
    bios: ['Amo livros, gatos e silêncio.', 'Carioca, às vezes.\n🌊', ''],
    places: words('São Paulo|Lisboa|Recife|Rio de Janeiro'),
  },
  {
    code: 'fr',
    share: 2,
    name: '{g} {f}',
    given: given('Élodie=elodie|François=francois|Zoé=zoe|Benoît=benoit'),
    family: words('Lefèvre|Dubois|Garçon|Noël'),
    sentences: words(
      'Un café, un croissant, et la journée commence. #Paris|Encore un train supprimé… #grève|' +
        'L’été dernier me manque déjà. #été|Magnifique exposition, à voir absolument ! #musée',
    ),
    replies: words('Bien vu !|C’est exactement ça.|Merci pour le partage|Oh là là…'),
    bios: ['Historienne, un peu. Gourmande, beaucoup.', '« Cogito, ergo café »', ''],
    places: words('Paris|Lyon|Montréal|Dakar'),
  },
  {
    code: 'de',
    share: 2,
    name: '{g} {f}',
    given: given('Jörg=joerg|Käthe=kaethe|Anneliese|Matthias'),
    family: words('Müller|Großmann|Jäger|Weiß'),
    sentences: words(
      'Der Zug hat schon wieder Verspätung. #Bahn|Frühstück auf dem Balkon, endlich Frühling! #Frühling|' +
        'Straßenfest in der Südstadt. Kommt vorbei! #Köln|Übrigens: Äpfel sind reif. #Garten',
    ),
    replies: words('Genau so ist es.|Wirklich? Kaum zu glauben.|Schön!|Gute Besserung!'),
    bios: ['Fahrrad, Bücher, Brot.', 'Hier privat. Meinung: meine.', ''],
    places: words('Köln|Zürich|Wien|Görlitz'),
  },
  {
    code: 'tr',
    share: 2,
    name: '{g} {f}',
    given: given('Ayşe=ayse|Çağla=cagla|Mehmet|Işıl=isil'),
    family: words('Yıldız|Öztürk|Şahin|Güneş'),
    sentences: words(
      'Boğaz’da çay keyfi. #İstanbul|Bugün hava çok güzel! #bahar|Maç başlıyor, herkes hazır mı? #futbol|' +
        'Iğdır’dan kayısı geldi. #lezzet',
    ),
    replies: words('Çok doğru!|Eline sağlık 🙏|Gerçekten mi?|Günaydın!'),
    bios: ['Kitap, kedi, kahve.', 'İzmirli. Biraz huysuz.', ''],
    places: words('İstanbul|İzmir|Iğdır|Ankara'),
  },
  {
    code: 'ru',
    share: 2,
    name: '{g} {f}',
    given: given('Анна=anna|Иван=ivan|Ольга=olga|Фёдор=fedor|Юлия=yulia'),
    family: words('Щербак|Бондаренко|Живаго|Шевчук|Чайка'),
    sentences: words(
      'Утренний кофе и новая глава. #книги|Первый снег в этом году! #зима|Сегодня звёзды видны даже в городе. #небо|' +
        'Подскажите хорошее кино на вечер. #кино|Пирог удался, рецепт ниже. #рецепт',
    ),
    replies: words('Точно подмечено!|Не верю своим глазам|Спасибо!|Ха-ха, у меня так же|Где это?'),
    bios: ['Читаю, пишу, молчу.', 'Кот, чай, «Мастер и Маргарита»', ''],
    places: words('Казань|Алматы|Рига|Тбилиси'),
  },
  {
    code: 'el',
    share: 1,
    name: '{g} {f}',
    given: given('Ελένη=eleni|Γιώργος=giorgos|Ναυσικά=nafsika'),
    family: words('Οικονόμου|Αγγέλου|Παπαγεωργίου'),
    sentences: words(
      'Καλημέρα από το λιμάνι! #θάλασσα|Ο ελληνικός καφές θέλει υπομονή. #ΚΑΦΈΣ|Ωραία βραδιά στο θέατρο. #θέατρο',
    ),
    replies: words('Συμφωνώ απόλυτα!|Πού είναι αυτό;|Χρόνια πολλά!'),
    bios: ['Δασκάλα. Αγαπώ τη θάλασσα.', ''],
    places: words('Αθήνα|Χανιά|Λευκωσία'),
  },
  {
    code: 'ar',
    share: 2,
    name: '{g} {f}',
    given: given('ليلى=layla|يوسف=yusuf|مريم=maryam|أحمد=ahmad'),
    family: words('الحداد|قاسم|منصور|الشامي'),
    sentences: words(
      'صباح الخير من البحر #صباح_الخير|فنجان قهوة وكتاب جديد. #قراءة|مباراة رائعة الليلة! #كرة_القدم|' +
        'السماء صافية والنجوم كثيرة ✨ #فلك|من جرّب هذه الوصفة؟ #طبخ',
    ),
    replies: words('كلام جميل!|أحسنت النشر|هل هذا صحيح؟|شكراً لك 🌹'),
    bios: ['أكتب عن الكتب والسفر', 'القاهرة ☕ قهوة بلا سكر', ''],
    places: words('القاهرة|بيروت|الرباط|عمّان'),
  },
  {
    code: 'he',
    share: 1,
    name: '{g} {f}',
    given: given('נועה=noa|איתן=eitan|תמר=tamar'),
    family: words('לוי|בן־עמי|שפירא'),
    sentences: words('בוקר טוב מהשוק! #בוקר_טוב|סוף סוף גשם. #חורף|ספר חדש על המדף 📚 #ספרים'),
    replies: words('נכון מאוד!|איפה זה?|תודה רבה 🙏'),
    bios: ['קוראת, כותבת, שותה קפה.', ''],
    places: words('חיפה|תל אביב|ירושלים'),
  },
  {
    code: 'hi',
    share: 2,
    name: '{g} {f}',
    given: given('आरव=aarav|दीपिका=deepika|मीरा=meera|रोहित=rohit'),
    family: words('शर्मा|त्रिपाठी|सिंह|मिश्रा'),
    sentences: words(
      'सुबह की चाय और बारिश। #चाय|क्या शानदार मैच था! #क्रिकेट|आज की किताब बहुत अच्छी है। #किताबें|' +
        'दिल्ली की सर्दी शुरू हो गई। #सर्दी|माँ के हाथ का खाना। #खाना',
    ),
    replies: words('बिल्कुल सही!|बहुत बढ़िया 👏|सच में?|धन्यवाद!'),
    bios: ['लेखक, पाठक, चाय प्रेमी।', 'क्रिकेट और कविता 🏏', ''],
    places: words('दिल्ली|वाराणसी|मुंबई|जयपुर'),
  },
  {
    code: 'ta',
    share: 1,
    name: '{g} {f}',
    given: given('கவிதா=kavitha|முருகன்=murugan|செல்வி=selvi'),
    family: words('சுந்தரம்|பாண்டியன்|இளங்கோ'),
    sentences: words('காலை வணக்கம்! #சென்னை|நல்ல மழை இன்று. #மழை|புதிய பாடல் அருமை. #இசை'),
    replies: words('மிகவும் சரி!|நன்றி 🙏|உண்மையாகவா?'),
    bios: ['தமிழ், இசை, காபி.', ''],
    places: words('சென்னை|மதுரை|யாழ்ப்பாணம்'),
  },
  {
    code: 'th',
    share: 1,
    name: '{g} {f}',
    given: given('สมชาย=somchai|มาลี=malee|ณัฐ=nat'),
    family: words('ใจดี|วงศ์สวัสดิ์|ทองคำ'),
    sentences: words('เช้านี้ฝนตกหนักมาก #ฝนตก|กาแฟแก้วแรกของวัน ☕ #กาแฟ|ใครดูบอลคืนนี้บ้าง #บอลไทย|แมวนอนทั้งวันเลย #แมว'),
    replies: words('จริงที่สุด|ขอบคุณมากค่ะ 🙏|ที่ไหนคะ|5555'),
    bios: ['ชอบแมว ชอบทะเล', ''],
    places: words('กรุงเทพฯ|เชียงใหม่|ภูเก็ต'),
  },
  {
    code: 'zh',
    share: 2,
    name: '{f}{g}',
    given: given('小雨=xiaoyu|志明=zhiming|静=jing|家豪=kahou'),
    family: words('王|陳|欧阳|林'),
    sentences: words(
      '早安，今天的天空特别蓝。 #早安|这家面馆值得排队！ #美食|周末去看了老电影，感动。 #电影|' +
        '下雨天適合看書。 #讀書|猫又把键盘占了。 #猫',
    ),
    replies: words('说得对！|哈哈哈哈|这是哪里？|太好了，謝謝分享'),
    bios: ['爱书，爱猫，爱发呆。', '「不積跬步，無以至千里」', ''],
    places: words('上海|台北|香港|成都'),
  },
  {
    code: 'ja',
    share: 3,
    name: '{f}{g}',
    given: given('さくら=sakura|健太=kenta|ひなた=hinata|美咲=misaki'),
    family: words('佐藤|山本|井上|髙橋'),
    sentences: words(
      'おはようございます。いい天気ですね #おはよう|ラーメンが食べたい… #ラーメン|終電を逃しました #夜行列車|' +
        '新曲、最高でした！ #音楽|うちの猫がかわいすぎる #ネコ',
    ),
    replies: words('わかります！|それな|ありがとうございます🙇|どこですか？|草'),
    bios: ['写真とコーヒーが好きです。', '無言フォロー失礼します🙇‍♀️', ''],
    places: words('東京|京都|札幌|那覇'),
  },
  {
    code: 'ko',
    share: 2,
    name: '{f}{g}',
    given: given('민준=minjun|서연=seoyeon|하늘=haneul'),
    family: words('김|박|남궁'),
    sentences: words(
      '오늘도 좋은 하루! #아침|떡볶이는 언제나 옳다 #맛집|콘서트 다녀왔어요 🎤 #콘서트|비 오는 날엔 책이지 #독서',
    ),
    replies: words('완전 공감!|ㅋㅋㅋㅋㅋ|여기 어디예요?|고마워요'),
    bios: ['책과 커피, 그리고 고양이', ''],
    places: words('서울|부산|제주'),
  },
  {
    code: 'ka',
    share: 1,
    name: '{g} {f}',
    given: given('ნინო=nino|გიორგი=giorgi|თამარი=tamari'),
    family: words('ბერიძე|კაპანაძე|ლომიძე'),
    sentences: words('დილა მშვიდობისა თბილისიდან! #თბილისი|ახალი წიგნი დავიწყე. #წიგნები|დღეს თოვს. #ზამთარი'),
    replies: words('მართალია!|სად არის ეს?|მადლობა 🙏'),
    bios: ['მთები, ღვინო, წიგნები.', ''],
    places: words('თბილისი|ბათუმი'),
  },
];
