# Answers each case with the file of its name in the folder SPOILED. A spoiled reply is mostly its
# last word: to wait for the end of a silence costs a second, and to see that a process has ended
# costs nothing. In sh, which starts in a tenth of Python's time: thousands are started.
STAYS=16

while IFS= read -r line; do
  case $line in
    '{"command":"describe"'*)
      printf '%s\n' '{"protocol": 1, "name": "shape", "version": "1", "model": "path"}'
      ;;
    '{"command":"stop"'*)
      exit
      ;;
    *)
      id=${line#*'"id":"'}
      case=${id#*/}
      case=${case%%/*}
      cat "$SPOILED/$case"
      printf '\n'
      case $case in
        *bad)
          number=${case#?}
          # The 1 before it keeps zeros from making it octal; 100000 is a multiple of 16.
          [ $((1${number%bad} % STAYS)) = 0 ] || exit
          ;;
      esac
      ;;
  esac
done
