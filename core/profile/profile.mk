# SPDX-License-Identifier: MIT
#
# Time per function. The program shares the files that only do arithmetic.
#
# An instrumented object has its own hooks (core/profile/hooks.c explains why). So
# -ltickwise-profile finds a linker script that names the library and the hooks.

PROFILE_SONAME := $(subst libtickwise,libtickwise-profile,$(SONAME))
PROFILE_OBJECTS := $(call objects,$(wildcard core/profile/*.c) core/base/open_file.c)
PROFILE_LIBRARIES := $(addprefix $(B)/,libtickwise-profile.a libtickwise-profile.so \
	$(PROFILE_SONAME) libtickwise-profile_hooks.a)
.PHONY: profile-libraries
profile-libraries: $(PROFILE_LIBRARIES)

$(B)/core/profile/calibrate_hooked.o: CORE_CFLAGS += -finstrument-functions
# Call directly, without the procedure linkage table.
$(B)/core/profile/hooks.o: CORE_CFLAGS += -fno-plt

$(B)/libtickwise-profile.a: $(PROFILE_OBJECTS)
$(B)/libtickwise-profile_hooks.a: $(B)/core/profile/hooks.o

$(B)/$(PROFILE_SONAME): $(PROFILE_OBJECTS) $(B)/libtickwise.a \
		core/profile/libtickwise-profile.map
	$(call say,LD,$@)
	$(call link_library,$(BIND_NOW) $(STAY_LOADED)) $(CORE_LIBS)

# The hooks come first: they need the library, so --as-needed keeps it. With -flto nothing asks for
# them before the compiler has run, and the C library has empty ones.
$(B)/libtickwise-profile.so: $(B)/libtickwise-profile_hooks.a $(B)/$(PROFILE_SONAME)
	$(Q)echo '/* GNU ld script */ EXTERN ( __cyg_profile_func_enter )' \
		'INPUT ( $(^F) $(PROFILE_INPUT) )' >$@
