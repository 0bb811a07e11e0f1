# SPDX-License-Identifier: Apache-2.0

# FW_CUDA_FIND
# Sets NVCC and CUDA_HOME from the argument of --with-cuda, PATH, or the place
# where NVIDIA's own packages install.
AC_DEFUN([FW_CUDA_FIND], [
AC_ARG_VAR([NVCC], [CUDA compiler])
AS_CASE([$with_cuda],
	[auto|yes], [AC_PATH_PROG([NVCC], [nvcc], [],
		[$PATH$PATH_SEPARATOR/usr/local/cuda/bin])],
	[AC_PATH_PROG([NVCC], [nvcc], [], [$with_cuda/bin])])
fw_cuda_why="no nvcc"
AS_IF([test -n "$NVCC"], [
	CUDA_HOME=`AS_DIRNAME(["$NVCC"])`
	CUDA_HOME=`cd "$CUDA_HOME/.." && pwd`
])
])

# FW_CUDA_LIBDIR
# Sets CUDA_LIBDIR to the folder of the runtime library, never to the stubs;
# to nothing where the compiler looks there anyway.
AC_DEFUN([FW_CUDA_LIBDIR], [
CUDA_LIBDIR=
for fw_dir in "$CUDA_HOME/lib64" "$CUDA_HOME/lib" \
	"$CUDA_HOME/targets/$host_cpu-linux/lib" \
	"$CUDA_HOME/targets/sbsa-linux/lib" \
	"$CUDA_HOME/lib/$host_cpu-linux-gnu"; do
	AS_IF([test -z "$CUDA_LIBDIR" && test -e "$fw_dir/libcudart.so"],
		[CUDA_LIBDIR=$fw_dir])
done
AS_IF([test "$CUDA_HOME" = /usr], [CUDA_LIBDIR=])
])

# FW_CUDA_GENCODE
# Code for the devices that this nvcc knows of the usual ones, and PTX of the
# newest, which later devices compile for themselves.
AC_DEFUN([FW_CUDA_GENCODE], [
AC_ARG_VAR([NVCC_GENCODE], [-gencode options for nvcc])
AS_IF([test -z "$NVCC_GENCODE"], [
	fw_known=`"$NVCC" --list-gpu-code 2>/dev/null`
	fw_newest=
	for fw_arch in 75 80 86 89 90 100 120; do
		AS_CASE([" "`echo $fw_known`" "], [*" sm_$fw_arch "*], [
			fw_cc="arch=compute_$fw_arch,code"
			NVCC_GENCODE="$NVCC_GENCODE -gencode $fw_cc=sm_$fw_arch"
			fw_newest=$fw_arch
		])
	done
	AS_IF([test -n "$fw_newest"], [
		fw_cc="arch=compute_$fw_newest,code=compute_$fw_newest"
		NVCC_GENCODE="$NVCC_GENCODE -gencode $fw_cc"
	])
])
])

# FW_CUDA_TRY
# Compiles a kernel with nvcc and links it into a C program, as the build will.
# nvcc alone proves little: its host compiler or the runtime may be missing.
AC_DEFUN([FW_CUDA_TRY], [
AC_MSG_CHECKING([whether a CUDA kernel compiles and links with $CC])
cat > conftest_cuda.cu <<'FW_EOF'
__global__ void fw_kernel(int *to) { *to = 1; }
extern "C" int fw_launch(int *to)
{
	fw_kernel<<<1, 1>>>(to);
	return (int)cudaGetLastError();
}
FW_EOF
fw_cuda_why="a kernel does not compile"
AS_IF([$NVCC $NVCCFLAGS $NVCC_GENCODE \
	--compiler-options $NVCC_HOSTFLAGS \
	-c -o conftest_cuda.$OBJEXT conftest_cuda.cu >&AS_MESSAGE_LOG_FD 2>&1], [
	fw_cuda_why="a kernel does not link into a C program"
	fw_saved_CPPFLAGS=$CPPFLAGS
	fw_saved_LIBS=$LIBS
	CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
	LIBS="conftest_cuda.$OBJEXT $CUDA_LIBS $LIBS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[
		#include <cuda_runtime_api.h>
		int fw_launch(int *to);
		]], [[
		int num;
		return (int)cudaGetDeviceCount(&num) + fw_launch(0);
		]])], [have_cuda=yes])
	CPPFLAGS=$fw_saved_CPPFLAGS
	LIBS=$fw_saved_LIBS
])
rm -f conftest_cuda.cu conftest_cuda.$OBJEXT
AC_MSG_RESULT([$have_cuda])
])

# FW_CUDA
# Sets have_cuda, NVCC, NVCCFLAGS, NVCC_GENCODE, NVCC_HOSTFLAGS,
# CUDA_CPPFLAGS, CUDA_LDFLAGS, CUDA_LIBS and the conditional HAVE_CUDA.
AC_DEFUN([FW_CUDA], [
AC_REQUIRE([AC_CANONICAL_HOST])
AC_ARG_WITH([cuda],
	[AS_HELP_STRING([--with-cuda=auto|yes|no|DIR],
		[build the CUDA part; DIR is where the toolkit stands @<:@auto@:>@])],
	[], [with_cuda=auto])
AC_ARG_VAR([NVCCFLAGS], [options for nvcc])
have_cuda=no
fw_cuda_why="not asked for"
AS_IF([test "$with_cuda" != no], [FW_CUDA_FIND])
AS_IF([test "$with_cuda" != no && test -n "$NVCC"], [
	FW_CUDA_LIBDIR
	FW_CUDA_GENCODE
	: ${NVCCFLAGS=-O2}
	AS_IF([test "$enable_werror" = yes],
		[NVCC_WERROR="-Werror all-warnings"])
	NVCC_HOSTFLAGS=-fPIC,-fvisibility=hidden,-fno-exceptions
	NVCC_HOSTFLAGS=$NVCC_HOSTFLAGS,-fno-threadsafe-statics
	CUDA_CPPFLAGS=
	AS_IF([test "$CUDA_HOME" != /usr],
		[CUDA_CPPFLAGS="-isystem $CUDA_HOME/include"])
	CUDA_LIBS="${CUDA_LIBDIR:+-L$CUDA_LIBDIR} -lcudart"
	# Toolkits stand where the loader does not look by itself.
	CUDA_LDFLAGS=${CUDA_LIBDIR:+"-R $CUDA_LIBDIR"}
	FW_CUDA_TRY
])
AS_IF([test "$have_cuda" = no], [
	AS_CASE([$with_cuda], [no|auto], [],
		[AC_MSG_FAILURE([--with-cuda=$with_cuda: $fw_cuda_why])])
])
AC_SUBST([NVCC_HOSTFLAGS])
AC_SUBST([NVCC_WERROR])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_LIBS])
AC_SUBST([CUDA_LDFLAGS])
AM_CONDITIONAL([HAVE_CUDA], [test "$have_cuda" = yes])
])
